import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ProviderError from "../../src/errors/ProviderError.ts"
import * as ProviderRefusal from "../../src/errors/ProviderRefusal.ts"
import * as Asking from "../support/Asking.ts"
import { ANTHROPIC, GOOGLE, OPENAI } from "../support/Providers.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

const LOCAL = "openai/qwen3-8b"

const failing = Effect.fnUntraced(function*(model: string, status: number, body: Schema.Json, headers = {}) {
  const { layer } = ScriptedFetch.make([ScriptedFetch.json(status, body, headers)])
  const variables = model === LOCAL ? Asking.COMPATIBLE : Asking.KEYS
  return yield* Effect.flip(Stream.runDrain(Asking.stream(layer, { model, variables, prompt: "Hello" })))
})

const openAi = (message: string, code: string | null = null, type = "invalid_request_error") => ({
  error: { message, type, param: null, code }
})
const anthropic = (message: string, type = "invalid_request_error") => ({ type: "error", error: { type, message } })
const google = (code: number, message: string, status: string) => ({ error: { code, message, status } })

/** As providers publish it, or as their servers print it. */
const TOO_LONG: ReadonlyArray<readonly [string, string, number, Schema.Json, number | null]> = [
  [
    "OpenAI's chat completions",
    LOCAL,
    400,
    openAi(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. Please reduce the length of the messages.",
      "context_length_exceeded"
    ),
    128_000
  ],
  [
    "OpenAI's responses",
    OPENAI,
    400,
    openAi(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded"
    ),
    null
  ],
  ["Anthropic", ANTHROPIC, 400, anthropic("prompt is too long: 208310 tokens > 200000 maximum"), 200_000],
  [
    "Anthropic, with the answer",
    ANTHROPIC,
    400,
    anthropic("input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000, decrease input length"),
    136_000
  ],
  ["Anthropic, by bytes", ANTHROPIC, 413, anthropic("Request exceeds the maximum size", "request_too_large"), null],
  [
    "Google",
    GOOGLE,
    400,
    google(
      400,
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
      "INVALID_ARGUMENT"
    ),
    1_048_576
  ],
  [
    "llama.cpp",
    LOCAL,
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 5120,
        n_ctx: 4096
      }
    },
    4096
  ],
  [
    "LM Studio",
    LOCAL,
    400,
    openAi(
      "Trying to keep the first 5120 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."
    ),
    4096
  ],
  [
    "Mistral",
    LOCAL,
    400,
    openAi("Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context length"),
    32_768
  ],
  [
    "xAI",
    LOCAL,
    400,
    openAi("This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
    131_072
  ]
]

describe("ProviderRefusal", () => {
  it.effect.each(TOO_LONG)(
    "reads from %s that a request is too long, and how long it may be",
    ([, model, status, body, limit]) =>
      Effect.gen(function*() {
        const error = yield* failing(model, status, body)
        assert.isTrue(ProviderRefusal.isTooLong(error), error.message)
        assert.isFalse(error.isRetryable)
        assert.strictEqual(ProviderRefusal.contextTokens(error), limit)
        assert.match(ProviderError.hint(error), /start a new chat/)
      })
  )

  it.effect("takes no other failure for a long request", () =>
    Effect.gen(function*() {
      const others = [
        yield* failing(
          OPENAI,
          429,
          openAi(
            "Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 40000",
            "rate_limit_exceeded",
            "tokens"
          )
        ),
        yield* failing(OPENAI, 400, openAi("Invalid 'tools[0].name': string too long.", "string_above_max_length")),
        yield* failing(ANTHROPIC, 401, anthropic("invalid x-api-key", "authentication_error"))
      ]
      assert.deepStrictEqual(others.map((error) => ProviderRefusal.isTooLong(error)), [false, false, false])
    }))

  it.effect.each(
    [
      [
        LOCAL,
        400,
        openAi("image input is not supported - hint: if this is unexpected, you may need to provide the mmproj")
      ],
      [LOCAL, 400, openAi("qwen3-8b is not a multimodal model")],
      [LOCAL, 404, openAi("No endpoints found that support image input")],
      [LOCAL, 400, openAi("Invalid content type. image_url is only supported by certain models.")],
      [
        LOCAL,
        400,
        openAi("Failed to deserialize the JSON body: messages[0]: unknown variant `image_url`, expected `text`")
      ]
    ] as const
  )("reads that a model sees no images: %s %s", ([model, status, body]) =>
    Effect.gen(function*() {
      const error = yield* failing(model, status, body)
      assert.isTrue(ProviderRefusal.isBlind(error), error.message)
      assert.match(ProviderError.hint(error), /sees no images/)
    }))

  it.effect.each(
    [
      [
        "a wrong key",
        OPENAI,
        401,
        openAi("Incorrect API key provided: sk-…", "invalid_api_key"),
        /check the provider's API key.*\.env/
      ],
      [
        "a key without the right",
        OPENAI,
        403,
        openAi("Project does not have access to model gpt-6"),
        /may not use this model/
      ],
      [
        "a model that is not there",
        OPENAI,
        404,
        openAi("The model `gpt-9` does not exist or you do not have access to it.", "model_not_found"),
        /choose another model: the provider knows none/
      ],
      [
        "a model that is not there",
        ANTHROPIC,
        404,
        anthropic("model: claude-9", "not_found_error"),
        /choose another model: the provider knows none/
      ],
      [
        "a model that is not there",
        GOOGLE,
        404,
        google(404, "models/gemini-9 is not found for API version v1beta", "NOT_FOUND"),
        /choose another model: the provider knows none/
      ],
      [
        "a model that Ollama has not got",
        LOCAL,
        404,
        openAi("model \"llama9\" not found, try pulling it first", null, "api_error"),
        /ollama pull/
      ],
      [
        "no tools",
        LOCAL,
        400,
        openAi("registry.ollama.ai/library/gemma:2b does not support tools", null, "api_error"),
        /cannot call tools/
      ],
      [
        "no quota",
        OPENAI,
        429,
        openAi("You exceeded your current quota", "insufficient_quota", "insufficient_quota"),
        /no credit left/
      ],
      [
        "no credit",
        ANTHROPIC,
        400,
        anthropic("Your credit balance is too low to access the Anthropic API."),
        /no credit left/
      ],
      ["no credit", LOCAL, 402, openAi("Insufficient Balance"), /no credit left/],
      ["too much to do", ANTHROPIC, 529, anthropic("Overloaded", "overloaded_error"), /again in a few minutes/],
      [
        "too much to do",
        GOOGLE,
        503,
        google(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"),
        /again in a few minutes/
      ],
      [
        "another trouble",
        OPENAI,
        500,
        openAi("The server had an error", null, "server_error"),
        /the provider has trouble/
      ]
    ] as const
  )("says what to do about %s of %s", ([, model, status, body, hint]) =>
    Effect.gen(function*() {
      assert.match(ProviderError.hint(yield* failing(model, status, body)), hint)
    }))

  it.effect("takes a refused order of roles for one of images, which are messages of their own behind results", () =>
    Effect.gen(function*() {
      const roles = [
        "Unexpected role 'user' after role 'tool'",
        "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
      ]
      for (const status of [400, 500]) {
        for (const message of roles) {
          const error = yield* failing(LOCAL, status, openAi(message))
          assert.deepStrictEqual([ProviderRefusal.isAboutImages(error), ProviderRefusal.isBlind(error)], [true, false])
          if (status === 400) assert.match(ProviderError.hint(error), /choose another model: .* the order of these/)
        }
      }
    }))

  it.effect("tells a model that sees nothing from an image that cannot be used", () =>
    Effect.gen(function*() {
      const messages = [
        "You uploaded an unsupported image. Please make sure your image is valid.",
        "messages.0.content.1.image.source.base64.data: The image was specified using image/png media type, but is none",
        "Could not process image"
      ]
      for (const message of messages) {
        const error = yield* failing(ANTHROPIC, 400, anthropic(message))
        assert.deepStrictEqual([ProviderRefusal.isAboutImages(error), ProviderRefusal.isBlind(error)], [true, false])
        assert.match(ProviderError.hint(error), /without the image/)
      }
      assert.isFalse(ProviderRefusal.isAboutImages(yield* failing(OPENAI, 400, openAi("Unknown parameter"))))
    }))

  it.effect.each(
    [
      ["OpenAI's chat completions", LOCAL, openAi("Invalid 'tools[1].function.description': string too long.")],
      ["OpenAI's responses", OPENAI, { error: { message: "string too long.", param: "tools[1].description" } }],
      [
        "OpenAI, by its name",
        OPENAI,
        openAi("Invalid schema for function 'web_read': In context=(), object schema missing properties")
      ],
      ["Anthropic", ANTHROPIC, anthropic("tools.1.custom.input_schema: JSON schema is invalid.")],
      [
        "Google",
        GOOGLE,
        google(
          400,
          "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[a].items: missing field.",
          "INVALID_ARGUMENT"
        )
      ],
      [
        "Google, by its name",
        GOOGLE,
        google(400, "Unable to submit request because `web_read` functionDeclaration has no type.", "INVALID_ARGUMENT")
      ],
      [
        "vLLM",
        LOCAL,
        openAi("[{'type': 'string_too_long', 'loc': ('body', 'tools', 1, 'function', 'description')}]")
      ],
      ["a gateway", LOCAL, { detail: [{ loc: ["body", "tools", 1, "function"], msg: "too long" }] }]
    ] as const
  )("reads from %s which tool it refuses", ([, model, body]) =>
    Effect.gen(function*() {
      const error = yield* failing(model, 400, body)
      assert.strictEqual(ProviderRefusal.refusedTool(error, ["web", "web_read", "grep"]), "web_read", error.message)
    }))

  it.effect("takes the place of a definition that was added for no place in the list", () =>
    Effect.gen(function*() {
      const error = yield* failing(
        OPENAI,
        400,
        openAi("Invalid schema for function 'grep': array schema missing items. (input[5].tools[0].parameters)")
      )
      assert.strictEqual(ProviderRefusal.refusedTool(error, ["web", "web_read", "grep"]), "grep")
    }))

  it.effect.each(
    [
      [OPENAI, openAi("Invalid value: 'additional_tools'. Supported values are: 'message', 'reasoning'. (input[4])")],
      [ANTHROPIC, anthropic("tools.3.custom.defer_loading: Extra inputs are not permitted")],
      [ANTHROPIC, anthropic("messages.2.content.0: Input tag 'tool_reference' found using 'type' does not match")]
    ] as const
  )("knows from %s that it takes no definitions that are left to search", ([model, body]) =>
    Effect.gen(function*() {
      assert.isTrue(ProviderRefusal.isAboutDeferral(yield* failing(model, 400, body)))
      assert.isFalse(ProviderRefusal.isAboutDeferral(yield* failing(OPENAI, 400, openAi("Unknown parameter: 'foo'"))))
    }))

  it.effect("takes no other refusal for one of a tool, and guesses at none", () =>
    Effect.gen(function*() {
      const messages = [
        "Unknown parameter: 'foo'",
        "Invalid 'tools': array too long. Expected an array with maximum length 128.",
        "Invalid schemas for functions 'web' and 'grep'",
        "Invalid 'tools[1].name' and 'tools[2].name'",
        "Invalid 'tools[9].name'",
        "messages.4: `tool_use` ids were found without `tool_result` blocks: 'web'",
        "this model does not support tools; grep the manual"
      ]
      for (const message of messages) {
        const error = yield* failing(OPENAI, 400, openAi(message))
        assert.isNull(ProviderRefusal.refusedTool(error, ["web", "web_read", "grep"]), message)
      }
    }))

  it.effect("says how long to wait, and to look after a server of one's own", () =>
    Effect.gen(function*() {
      const limited = yield* failing(ANTHROPIC, 429, anthropic("slow", "rate_limit_error"), { "retry-after": "37" })
      assert.match(ProviderError.hint(limited), /wait 37 seconds/)
      const { layer } = ScriptedFetch.make([ScriptedFetch.refused])
      const variables = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }
      const error = yield* Effect.flip(Stream.runDrain(Asking.stream(layer, { model: LOCAL, variables, prompt: "Hi" })))
      assert.match(ProviderError.hint(error), /see that the model's server runs/)
    }))
})
