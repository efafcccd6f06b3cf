import Anthropic from "@anthropic-ai/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import OpenAI from "openai"
import * as ModelServer from "./servers/ModelServer.ts"

const parameters = { type: "object" as const, properties: { path: { type: "string" } } }

const chatTool = { type: "function" as const, function: { name: "files_read", description: "Reads", parameters } }
const messageTool = { name: "files_read", description: "Reads", input_schema: parameters }
const responseTool = { type: "function" as const, name: "files_read", description: "Reads", parameters, strict: false }

/** Thinks, speaks and calls twice; then says what came back. */
const script: ModelServer.Script = ({ results }) =>
  results.length === 0
    ? [
      ModelServer.reasoning("Two files are asked for."),
      ModelServer.text("I will read both."),
      ModelServer.call("files_read", { path: "ä.txt" }),
      ModelServer.call("files_read", { path: "b.txt" })
    ]
    : [ModelServer.text(results.map(({ text }) => text).join(" and "))]

const openAi = (server: ModelServer.ModelServer) =>
  new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "k", maxRetries: 0 })
const anthropic = (server: ModelServer.ModelServer) =>
  new Anthropic({ baseURL: server.url, apiKey: "k", maxRetries: 0 })

describe("ModelServer", () => {
  it.live("streams chat completions that the openai client accepts, over a round trip", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(script)
      yield* Effect.promise(async () => {
        const messages: Array<OpenAI.ChatCompletionMessageParam> = [{ role: "user", content: "Read" }]
        const ask = { model: "m", tools: [chatTool], stream_options: { include_usage: true } }
        const { choices, usage } = await openAi(server).chat.completions.stream({ ...ask, messages })
          .finalChatCompletion()
        const message = choices[0]?.message ?? assert.fail("no choice")
        const calls = (message.tool_calls ?? []).flatMap((call) => call.type === "function" ? [call] : [])
        assert.strictEqual(message.content, "I will read both.")
        assert.deepStrictEqual(calls.map((call) => JSON.parse(call.function.arguments)), [{ path: "ä.txt" }, {
          path: "b.txt"
        }])
        assert.isAbove(usage?.total_tokens ?? 0, 0)
        messages.push({ role: "assistant", content: message.content, tool_calls: calls })
        for (const call of calls) messages.push({ role: "tool", tool_call_id: call.id, content: "x" })
        const last = await openAi(server).chat.completions.stream({ ...ask, messages }).finalChatCompletion()
        assert.strictEqual(last.choices[0]?.message.content, "x and x")
      })
    }))

  it.live("streams responses that the openai client accepts, over a round trip with reasoning", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(script)
      yield* Effect.promise(async () => {
        const input: Array<OpenAI.Responses.ResponseInputItem> = [{ role: "user", content: "Read" }]
        const ask = { model: "m", tools: [responseTool], store: false }
        const { output } = await openAi(server).responses.stream({ ...ask, input }).finalResponse()
        assert.deepStrictEqual(output.map(({ type }) => type), [
          "reasoning",
          "message",
          "function_call",
          "function_call"
        ])
        for (const item of output) {
          if (item.type === "reasoning" || item.type === "message" || item.type === "function_call") input.push(item)
        }
        for (const item of output) {
          if (item.type === "function_call") {
            input.push({ type: "function_call_output", call_id: item.call_id, output: "x" })
          }
        }
        const last = await openAi(server).responses.stream({ ...ask, input }).finalResponse()
        assert.strictEqual(last.output_text, "x and x")
      })
    }))

  it.live("streams messages that the Anthropic client accepts, over a round trip with a signature", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(script)
      yield* Effect.promise(async () => {
        const messages: Array<Anthropic.MessageParam> = [{ role: "user", content: "Read" }]
        const ask = { model: "m", max_tokens: 100, tools: [messageTool] }
        const { content, stop_reason } = await anthropic(server).messages.stream({ ...ask, messages }).finalMessage()
        assert.strictEqual(stop_reason, "tool_use")
        const calls = content.flatMap((block) => block.type === "tool_use" ? [block] : [])
        assert.deepStrictEqual(calls.map(({ input }) => input), [{ path: "ä.txt" }, { path: "b.txt" }])
        messages.push({ role: "assistant", content }, {
          role: "user",
          content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "x" }))
        })
        const last = await anthropic(server).messages.stream({ ...ask, messages }).finalMessage()
        assert.deepStrictEqual(last.content.map((block) => block.type === "text" ? block.text : null), ["x and x"])
      })
    }))

  it.live("answers errors as the clients know them, and records them", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(
        () => ModelServer.fail(429, "rate_limit_error", "Slow down", { "retry-after": "2" }),
        { openAiKey: "right" }
      )
      yield* Effect.promise(async () => {
        const message = { model: "m", max_tokens: 1, messages: [{ role: "user" as const, content: "Hi" }] }
        const limited = await anthropic(server).messages.stream(message).finalMessage().catch((error: unknown) => error)
        assert.instanceOf(limited, Anthropic.RateLimitError)
        const rejected = await openAi(server).chat.completions.create({ ...message, stream: true }).catch((
          e: unknown
        ) => e)
        assert.instanceOf(rejected, OpenAI.AuthenticationError)
      })
      assert.deepStrictEqual(server.requests.map(({ problem, status }) => [status, problem]), [
        [429, null],
        [401, "Incorrect API key provided."]
      ])
    }))

  it.live("drops a stream where the script says so, and sees a client leave", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(
        () => [ModelServer.text("Half"), ModelServer.drop, ModelServer.text("more")]
      )
      yield* Effect.promise(async () => {
        const ask = { model: "m", messages: [{ role: "user" as const, content: "Hi" }] }
        const cut = await openAi(server).chat.completions.stream(ask).finalChatCompletion().catch(() => "cut")
        assert.strictEqual(cut, "cut")
        server.answer(() => [ModelServer.text("Half"), ModelServer.wait(60_000)])
        const stream = openAi(server).chat.completions.stream(ask)
        stream.once("content", () => stream.abort())
        await stream.done().catch(() => "aborted")
        assert.deepStrictEqual(await Promise.all(server.requests.map(({ ended }) => ended)), ["dropped", "closed"])
      })
    }))
})

const user = { role: "user", content: "Hi" }
const chatCall = (id: string, args = "{}") => ({ id, type: "function", function: { name: "t", arguments: args } })
const chat = { model: "m", stream: true, messages: [user] }
const fn = (name: string, schema: unknown = parameters) => ({
  type: "function",
  function: { name, parameters: schema }
})
const messages = { model: "m", stream: true, max_tokens: 9, messages: [user] }
const custom = (name: string, input_schema: unknown = parameters) => ({ name, input_schema })
const use = (id: string) => ({ type: "tool_use", id, name: "t", input: {} })
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "x" })
const responses = { model: "m", stream: true, input: [user] }
const called = { type: "function_call", call_id: "c", name: "t", arguments: "{}" }

const CHAT: ReadonlyArray<readonly [string, unknown, RegExp]> = [
  ["no model", { ...chat, model: undefined }, /model/],
  ["no messages", { ...chat, messages: [] }, /messages/],
  ["an unknown role", { ...chat, messages: [{ role: "robot", content: "x" }] }, /robot/],
  ["an empty list of tools (R104)", { ...chat, tools: [] }, /too short - 'tools'/],
  ["a tool choice without tools", { ...chat, tool_choice: "auto" }, /tool_choice/],
  ["a tool name with a dot", { ...chat, tools: [fn("a.b")] }, /does not match pattern/],
  ["a tool name of 65 characters", { ...chat, tools: [fn("a".repeat(65))] }, /does not match pattern/],
  ["two tools of one name", { ...chat, tools: [fn("a"), fn("a")] }, /unique/],
  [
    "a description of 1,025 characters",
    { ...chat, tools: [{ type: "function", function: { name: "a", description: "d".repeat(1025), parameters } }] },
    /tools\[0\]\.function\.description': string too long/
  ],
  ["a schema that is no object", { ...chat, tools: [fn("a", { type: "string" })] }, /type: "object"/],
  ["a schema without properties", { ...chat, tools: [fn("a", { type: "object" })] }, /missing properties/],
  ["a combinator at the top", { ...chat, tools: [fn("a", { ...parameters, anyOf: [{}] })] }, /'anyOf' at the top/],
  [
    "an array without items",
    { ...chat, tools: [fn("a", { type: "object", properties: { list: { type: ["array", "null"] } } })] },
    /'list'\), array schema missing items/
  ],
  [
    "a result of nothing",
    { ...chat, messages: [user, { role: "tool", tool_call_id: "c", content: "x" }] },
    /preceeding/
  ],
  [
    "a call without its result",
    {
      ...chat,
      messages: [user, { role: "assistant", tool_calls: [chatCall("c"), chatCall("d")] }, {
        role: "tool",
        tool_call_id: "c",
        content: "x"
      }, user]
    },
    /did not have response messages: d/
  ],
  [
    "two results of one call",
    {
      ...chat,
      messages: [
        user,
        { role: "assistant", tool_calls: [chatCall("c")] },
        ...["x", "y"].map((content) => ({
          role: "tool",
          tool_call_id: "c",
          content
        }))
      ]
    },
    /preceeding/
  ],
  ["arguments that are no object", {
    ...chat,
    messages: [user, { role: "assistant", tool_calls: [chatCall("c", "{")] }, {
      role: "tool",
      tool_call_id: "c",
      content: "x"
    }]
  }, /arguments/]
]

const MESSAGES: ReadonlyArray<readonly [string, unknown, RegExp]> = [
  ["no max_tokens", { ...messages, max_tokens: undefined }, /max_tokens/],
  ["an empty list of tools (R104)", { ...messages, tools: [] }, /too short - 'tools'/],
  ["a tool name with a space", { ...messages, tools: [custom("a b")] }, /does not match pattern/],
  ["two tools of one name", { ...messages, tools: [custom("a"), custom("a")] }, /unique/],
  ["a tool without a schema", { ...messages, tools: [{ name: "a" }] }, /input_schema: Field required/],
  ["a schema without type", { ...messages, tools: [custom("a", {})] }, /Input should be 'object'/],
  [
    "a combinator at the top",
    { ...messages, tools: [custom("a", { ...parameters, oneOf: [] })] },
    /oneOf, allOf, or anyOf/
  ],
  [
    "a property name with a $",
    { ...messages, tools: [custom("a", { type: "object", properties: { $x: {} } })] },
    /Property keys/
  ],
  ["an assistant that speaks first", { ...messages, messages: [{ role: "assistant", content: "x" }] }, /first message/],
  ["empty text", { ...messages, messages: [{ role: "user", content: [{ type: "text", text: "" }] }] }, /non-empty/],
  [
    "text of white space",
    { ...messages, messages: [{ role: "user", content: [{ type: "text", text: "\n" }] }] },
    /contain non-whitespace text/
  ],
  ["a message without content", { ...messages, messages: [{ role: "user", content: [] }] }, /non-empty content/],
  [
    "a system role among the messages",
    { ...messages, messages: [user, { role: "system", content: "x" }] },
    /Input should be/
  ],
  [
    "a call that is not answered",
    {
      ...messages,
      tools: [custom("t")],
      messages: [user, { role: "assistant", content: [use("c"), use("d")] }, {
        role: "user",
        content: [result("c")]
      }]
    },
    /without `tool_result` blocks immediately after: d/
  ],
  [
    "a result of nothing",
    { ...messages, messages: [{ role: "user", content: [result("c")] }] },
    /unexpected `tool_use_id`/
  ],
  [
    "two results of one call",
    {
      ...messages,
      tools: [custom("t")],
      messages: [user, { role: "assistant", content: [use("c")] }, {
        role: "user",
        content: [result("c"), result("c")]
      }]
    },
    /single result/
  ],
  [
    "a result after text",
    {
      ...messages,
      tools: [custom("t")],
      messages: [user, { role: "assistant", content: [use("c")] }, {
        role: "user",
        content: [{ type: "text", text: "x" }, result("c")]
      }]
    },
    /must come first/
  ],
  [
    "calls in the history without tools",
    {
      ...messages,
      messages: [user, { role: "assistant", content: [use("c")] }, { role: "user", content: [result("c")] }]
    },
    /must define tools/
  ],
  [
    "thinking with a signature that is not its own",
    {
      ...messages,
      messages: [user, { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "y" }] }, user]
    },
    /Invalid `signature`/
  ]
]

const RESPONSES: ReadonlyArray<readonly [string, unknown, RegExp]> = [
  [
    "a function that is strict by default",
    { ...responses, tools: [{ type: "function", name: "a", parameters }] },
    /strict/
  ],
  ["a call without its output", { ...responses, input: [user, called] }, /No tool output found for function call c/],
  [
    "an output of nothing",
    { ...responses, input: [user, { type: "function_call_output", call_id: "c", output: "" }] },
    /No tool call found/
  ],
  [
    "reasoning that was changed",
    { ...responses, input: [user, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" }, called] },
    /could not be verified/
  ]
]

const HEADERS = { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01" }

const post = (
  server: ModelServer.ModelServer,
  path: string,
  body: unknown,
  headers: Record<string, string> = HEADERS
) =>
  Effect.promise(async () => {
    const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    return { status: response.status, text: await response.text() }
  })

describe("ModelServer refuses", () => {
  const refuses = (path: string, [, body, message]: readonly [string, unknown, RegExp]) =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(() => [])
      const { status, text } = yield* post(server, path, body)
      assert.strictEqual(status, 400)
      assert.match(JSON.parse(text).error.message, message)
      assert.match(server.requests[0]?.problem ?? "", message)
    })

  it.live.each(CHAT)("in chat completions: %s", (row) => refuses("/v1/chat/completions", row))
  it.live.each(MESSAGES)("in messages: %s", (row) => refuses("/v1/messages", row))
  it.live.each(RESPONSES)("in responses: %s", (row) => refuses("/v1/responses", row))

  it.live("requests without the headers that Anthropic asks for", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make(() => [])
      const { "anthropic-version": _, ...noVersion } = HEADERS
      const { "x-api-key": __, ...noKey } = HEADERS
      assert.strictEqual((yield* post(server, "/v1/messages", messages, noVersion)).status, 400)
      const { status, text } = yield* post(server, "/v1/messages", messages, noKey)
      assert.strictEqual(status, 401)
      assert.strictEqual(JSON.parse(text).error.type, "authentication_error")
      assert.strictEqual((yield* post(server, "/v1/nothing", {})).status, 404)
    }))
})
