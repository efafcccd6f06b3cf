import { LanguageModels, ModelFetch, ModelSettings, ProviderError } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ModelServer from "./servers/ModelServer.ts"

const parameters = {
  type: "object",
  properties: { path: { type: "string" }, lines: { type: "array", items: { type: "integer" } } },
  required: ["path"]
} as const

const tool = (name: string) =>
  Tool.dynamic(name, {
    description: "Reads a file",
    parameters,
    success: Schema.String,
    failure: Schema.String,
    failureMode: "return"
  })

const toolkit = Toolkit.make(tool("files_read"), tool("files_stat")).pipe((kit) =>
  Effect.flatMap(
    kit.toHandlers({ files_read: () => Effect.die("not run"), files_stat: () => Effect.die("not run") }),
    (handlers) => Effect.provideContext(kit, handlers)
  )
)

/** The two formats that an address can be set for, and OpenAI's own, whose requests are led to the server instead. */
const APIS = [
  { api: "chat-completions", model: "openai/m", variables: (url: string) => ({ OPENAI_BASE_URL: `${url}/v1` }) },
  { api: "responses", model: "openai/gpt-5", variables: () => ({ OPENAI_API_KEY: "k" }) },
  {
    api: "messages",
    model: "anthropic/claude-sonnet-4-5",
    variables: (url: string) => ({ ANTHROPIC_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: "k" })
  }
] as const

type Api = typeof APIS[number]

const modelOf = (server: ModelServer.ModelServer, { model, variables }: Api) =>
  LanguageModels.use((models) => models.model(model)).pipe(
    Effect.provide(LanguageModels.layer.pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables(server.url) }))),
      Layer.provide(
        Layer.succeed(
          ModelFetch,
          (input, init) => fetch(String(input).replace("https://api.openai.com", server.url), init)
        )
      )
    ))
  )

const ask = (model: LanguageModel.LanguageModel, prompt: Prompt.RawInput) =>
  Stream.unwrap(
    Effect.map(toolkit, (toolkit) =>
      model.streamText({ prompt, toolkit, disableToolCallResolution: true, toolCallValidation: "deferred" }))
  )

const script: ModelServer.Script = ({ results }) =>
  results.length === 0
    ? [
      ModelServer.reasoning("Two files are asked for."),
      ModelServer.text("I will read both."),
      ModelServer.call("files_read", { path: "ä.txt" }),
      ModelServer.call("files_stat", "{\"path\": \"b.txt\""),
      ModelServer.call("no_such_tool", {})
    ]
    : [ModelServer.text(results.map(({ text }) => text).join(" + "))]

const hello = [{ role: "system", content: "Be brief." }, { role: "user", content: "Hello" }] as const

describe("LanguageModels over a socket", () => {
  it.live.each(APIS)(
    "answers parallel, broken and unknown calls in a second request that $api accepts",
    (api) =>
      Effect.gen(function*() {
        const server = yield* ModelServer.make(script)
        const model = yield* modelOf(server, api)
        const parts = yield* Stream.runCollect(ask(model, hello))
        const calls = parts.flatMap((part) => part.type === "tool-call" ? [part] : [])
        assert.deepStrictEqual(calls.map(({ name, params }) => [name, params]), [
          ["files_read", { path: "ä.txt" }],
          ["files_stat", "{\"path\": \"b.txt\""],
          ["no_such_tool", {}]
        ])
        const results = calls.map(({ id, name }, index) =>
          Prompt.toolResultPart({ id, name, isFailure: index > 0, result: `result ${index}`, providerExecuted: false })
        )
        const history = Prompt.make(hello).pipe(
          Prompt.concat(Prompt.fromResponseParts(parts)),
          Prompt.concat(Prompt.fromMessages([Prompt.toolMessage({ content: results })]))
        )
        const answer = yield* Stream.runCollect(ask(model, history))
        const text = answer.map((part) => part.type === "text-delta" ? part.delta : "").join("")
        // OpenAI's responses have no mark for an error, so the provider package wraps its text.
        const wrap = (words: string) => {
          const error = `{error: true}\n${words}`
          return api.api === "responses" ? JSON.stringify({ error }) : error
        }
        assert.strictEqual(text, `result 0 + ${wrap("result 1")} + ${wrap("result 2")}`)
        assert.deepStrictEqual(server.requests.map(({ problem }) => problem), [null, null])
      })
  )

  it.live.each(APIS)("sends reasoning back with the signature that $api gave it", (api) =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(() => [ModelServer.reasoning("Hm."), ModelServer.text("Hi.")])
      const model = yield* modelOf(server, api)
      const parts = yield* Stream.runCollect(ask(model, hello))
      const history = Prompt.make(hello).pipe(
        Prompt.concat(Prompt.fromResponseParts(parts)),
        Prompt.concat("And now?")
      )
      yield* Stream.runDrain(ask(model, history))
      const body = server.requests[1]?.body ?? {}
      assert.match(JSON.stringify(body["messages"] ?? body["input"]), /"(thinking|reasoning_content|text)":"Hm\."/)
      assert.isNull(server.requests[1]?.problem)
    }))

  it.live.each(APIS)("reports a rate limit of $api with its wait, after one request", (api) =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(() =>
        ModelServer.fail(429, "rate_limit_error", "Slow down", { "retry-after": "7" })
      )
      const error = yield* Effect.flip(Stream.runDrain(ask(yield* modelOf(server, api), hello)))
      assert.strictEqual(error.reason._tag, "RateLimitError")
      assert.deepStrictEqual(error.retryAfter, Duration.seconds(7))
      assert.isNotEmpty(ProviderError.hint(error))
      assert.strictEqual(server.requests.length, 1)
    }))

  it.live.each(APIS)("closes the connection to $api when it is interrupted", (api) =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(() => [ModelServer.text("Hello there"), ModelServer.wait(60_000)])
      const model = yield* modelOf(server, api)
      const begun = Promise.withResolvers<void>()
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(ask(model, hello), (part) => Effect.sync(() => part.type === "text-delta" && begun.resolve()))
      )
      yield* Effect.promise(() => begun.promise)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* Effect.promise(async () => server.requests[0]?.ended), "closed")
    }))

  it.live.each(APIS)(
    "keeps what $api said before the connection broke, and reports the break",
    (api) =>
      Effect.gen(function*() {
        const server = yield* ModelServer.make(() => [ModelServer.text("Half an answer"), ModelServer.drop])
        const said: Array<string> = []
        const error = yield* ask(yield* modelOf(server, api), hello).pipe(
          Stream.runForEach((part) => Effect.sync(() => part.type === "text-delta" && said.push(part.delta))),
          Effect.flip
        )
        assert.strictEqual(said.join(""), "Half an answer")
        assert.strictEqual(error.reason._tag, "NetworkError")
      })
  )

  it.live.each(APIS)("reports what $api refuses, in the provider's words", (api) =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(script)
      const answered = Prompt.make([...hello, {
        role: "assistant",
        content: [{ type: "tool-call", id: "c", name: "files_read", params: {} }]
      }])
      const error = yield* Effect.flip(Stream.runDrain(ask(yield* modelOf(server, api), answered)))
      assert.strictEqual(error.reason._tag, "InvalidRequestError")
      assert.match(error.message, /must be followed by tool messages|without `tool_result` blocks|No tool output found/)
    }))

  it.live.each(APIS)("passes a temperature and a limit on to $api", (api) =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(() => [ModelServer.text("Hi")])
      const settings = { temperature: 0.3, maxOutputTokens: 64, reasoning: null, silence: null, conversation: null }
      yield* Stream.runDrain(ask(yield* modelOf(server, api), hello)).pipe(
        Effect.provideService(ModelSettings, settings)
      )
      const { max_output_tokens, max_tokens, temperature } = server.requests[0]?.body ?? {}
      assert.strictEqual(max_tokens ?? max_output_tokens, 64)
      // OpenAI's reasoning models allow no temperature; it is left out for them.
      assert.strictEqual(temperature, api.api === "responses" ? undefined : 0.3)
    }))

  it.live.each(APIS)("speaks to a server started by hand in $api", (api) =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(ModelServer.echo)
      const model = yield* modelOf(server, api)
      const parts = yield* Stream.runCollect(ask(model, "Please call files_read {\"path\":\"a\"}"))
      assert.deepStrictEqual(parts.flatMap((part) => part.type === "tool-call" ? [[part.name, part.params]] : []), [
        ["files_read", { path: "a" }]
      ])
    }))
})
