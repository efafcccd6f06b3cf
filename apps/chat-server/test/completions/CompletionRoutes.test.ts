import { ChatErrors, type Chats, type Message, NO_USAGE, type Part } from "@boocode/chat"
import { ModelUnavailable } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { chat, json, open, post, text } from "../support/Scripted.ts"

type Given = Part extends infer P ? P extends Part ? Omit<P, "seq" | "turn"> : never : never

const usage = { ...NO_USAGE, inputTokens: 30, outputTokens: 12, cacheReadTokens: 10, reasoningTokens: 4 }
const said = (text: string): Given => ({ type: "text-delta", text })
const finish = (reason: Extract<Part, { type: "finish" }>["reason"] = "stop"): Given => ({
  type: "finish",
  reason,
  usage
})
const called = (id: string): Given => ({ type: "tool-call", id, name: "files_read", server: "files", args: {} })
const result = (id: string): Given => ({
  type: "tool-result",
  id,
  isError: false,
  text: "seven",
  content: [],
  truncated: null,
  origin: null,
  millis: 1
})
const wrote: Given = {
  type: "write",
  id: "w",
  call: "c",
  name: "files_write",
  server: "files",
  class: "writes",
  args: {},
  outcome: "done",
  allowedBy: "person",
  source: "a person",
  undo: null
}

/** A chat server whose turn is these parts, and what it was asked to do with chats. */
const stage = (parts: ReadonlyArray<Given>, more: Partial<typeof Chats.Service> = {}) =>
  Effect.gen(function*() {
    const done: Array<string> = []
    const begun: Array<Parameters<typeof Chats.Service.begin>[0]> = []
    const sent: Array<Message> = []
    const numbered = parts.map((part, at): Part => ({ ...part, seq: at + 1, turn: 1 }))
    const request = yield* open({
      chats: {
        begin: (given) => Effect.sync(() => (begun.push(given), chat)),
        send: (_, message) => Effect.sync(() => (sent.push(message), { turn: 1, queued: false, after: 0 })),
        events: () => Stream.fromIterable(numbered),
        get: () => Effect.succeed({ ...chat, turns: chat.turns.map((turn) => ({ ...turn, parts: numbered })) }),
        stop: (id) => Effect.sync(() => void done.push(`stop ${id}`)),
        remove: (id) => Effect.sync(() => void done.push(`remove ${id}`)),
        ...more
      }
    })
    const complete = (body: object) => request("/v1/chat/completions", post({ ...HELLO, ...body }))
    return { request, complete, begun, sent, done }
  })

const HELLO = { model: "Assistant", messages: [{ role: "user", content: "hi" }] }

/** The documents of a stream; the last is its end. */
const documents = (body: string) =>
  body.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6))

const chunksOf = Effect.fnUntraced(function*(response: Response) {
  const all = documents(yield* text(response))
  assert.strictEqual(all.at(-1), "[DONE]")
  return all.slice(0, -1).map((line) => Object(JSON.parse(line)))
})

const errorOf = Effect.fnUntraced(function*(response: Response) {
  const { error } = Object(yield* json(response))
  assert.hasAllKeys(error, ["message", "type", "param", "code"])
  return { status: response.status, ...error }
})

describe("The routes of OpenAI's wire", () => {
  it.effect("list the agents as models, and nothing else", () =>
    Effect.gen(function*() {
      const { request } = yield* stage([])
      const model = { id: "Assistant", object: "model", created: 0, owned_by: "boocode" }
      assert.deepStrictEqual(yield* json(yield* request("/v1/models")), { object: "list", data: [model] })
      assert.deepStrictEqual(yield* json(yield* request("/v1/models/Assistant")), model)
      const missing = yield* errorOf(yield* request("/v1/models/gpt-5"))
      assert.deepStrictEqual([missing.status, missing.code], [404, "model_not_found"])
    }))

  it.effect("answer with a whole completion: text, reasoning in a field of its own, the reason of the end, and usage", () =>
    Effect.gen(function*() {
      const reasoning: Given = { type: "reasoning-delta", text: "Hm." }
      const { complete } = yield* stage([
        reasoning,
        said("Let me look."),
        called("c"),
        result("c"),
        said("Seven."),
        finish()
      ])
      const answer = Object(yield* json(yield* complete({})))
      assert.deepStrictEqual({ ...answer, created: 0 }, {
        id: "chatcmpl-c1",
        created: 0,
        model: "Assistant",
        object: "chat.completion",
        choices: [{
          index: 0,
          message: {
            role: "assistant",
            content: "Let me look.\n\nSeven.",
            refusal: null,
            reasoning_content: "Hm.\nCalls files_read.\n"
          },
          logprobs: null,
          finish_reason: "stop"
        }],
        usage: {
          prompt_tokens: 30,
          completion_tokens: 12,
          total_tokens: 42,
          prompt_tokens_details: { cached_tokens: 10 },
          completion_tokens_details: { reasoning_tokens: 4 }
        }
      })
    }))

  it.effect("stream chunks, which begin with the role and end with a reason and, where it is asked for, usage", () =>
    Effect.gen(function*() {
      const { complete } = yield* stage([said("Se"), said("ven."), finish("steps")])
      const chunks = yield* chunksOf(yield* complete({ stream: true, stream_options: { include_usage: true } }))
      assert.deepStrictEqual(chunks.map(({ choices }) => choices[0]?.delta), [
        { role: "assistant", content: "" },
        { content: "Se" },
        { content: "ven." },
        {},
        undefined
      ])
      assert.deepStrictEqual(chunks.map(({ choices }) => choices[0]?.finish_reason ?? null), [
        ...[null, null, null],
        "length",
        null
      ])
      assert.deepStrictEqual(chunks.map(({ usage }) => usage?.total_tokens ?? null), [...Array(4).fill(null), 42])
      const plain = yield* chunksOf(yield* (yield* stage([finish()])).complete({ stream: true }))
      assert.isTrue(plain.every((chunk) => !("usage" in chunk)))
    }))

  it.effect("take back what a broken answer said, where the answer is whole, and say in a stream that it begins again", () =>
    Effect.gen(function*() {
      const retry: Given = { type: "retry", attempt: 1, limit: 5, delayMillis: 1, message: "overloaded" }
      const { complete } = yield* stage([said("Sev"), retry, said("Seven."), finish()])
      const whole = Object(yield* json(yield* complete({})))
      assert.strictEqual(whole.choices[0].message.content, "Seven.")
      const streamed = yield* chunksOf(yield* complete({ stream: true }))
      const content = streamed.map(({ choices }) => choices[0].delta.content ?? "").join("")
      assert.strictEqual(content, "Sev\n\n[The answer broke off. It begins again.]\n\nSeven.")
    }))

  it.effect("give the agent what was said before, its files, and the system messages as words beside its prompt", () =>
    Effect.gen(function*() {
      const { begun, complete, sent } = yield* stage([finish()])
      const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAEC" } }
      const response = yield* complete({
        temperature: 0.1,
        max_tokens: 5,
        tool_choice: "none",
        tools: [{ type: "function" }],
        messages: [
          { role: "system", content: "Answer in verse." },
          { role: "user", content: [{ type: "text", text: "look" }, image] },
          { role: "assistant", content: null, tool_calls: [{ function: { name: "see", arguments: "{}" } }] },
          { role: "tool", tool_call_id: "x", content: "a cat" },
          { role: "developer", content: "Be brief." },
          { role: "user", content: [image] }
        ]
      })
      assert.strictEqual(response.status, 200)
      const png = { kind: "image", name: "image", mediaType: "image/png", server: null, uri: null } as const
      const attachment = { ...png, data: new Uint8Array([0, 1, 2]) }
      assert.deepStrictEqual(begun, [{
        agent: "Assistant",
        model: null,
        title: "(see what is attached)",
        folder: "Other applications",
        instructions: "Answer in verse.\n\nBe brief.",
        write: null,
        said: [
          { role: "user", text: "look", attachments: [attachment] },
          { role: "assistant", text: "(called see: {})", attachments: [] },
          { role: "assistant", text: "(result of a tool: a cat)", attachments: [] }
        ]
      }])
      assert.deepStrictEqual(sent, [{
        text: "(see what is attached)",
        agent: "Assistant",
        model: null,
        attachments: [attachment],
        via: "v1"
      }])
    }))

  it.effect.each(
    [
      ["is not JSON", "{", "the body is not JSON"],
      [
        "has more messages than any conversation",
        { ...HELLO, messages: Array(10_001).fill(HELLO.messages[0]) },
        /10000/
      ],
      [
        "has more parts than any conversation",
        { ...HELLO, messages: [{ role: "user", content: Array(10_001).fill({ type: "text", text: "x" }) }] },
        /10000/
      ],
      ["has no messages", { model: "Assistant", messages: [] }, /messages/],
      ["names no model", { messages: HELLO.messages }, /model/],
      [
        "ends with the assistant",
        { ...HELLO, messages: [{ role: "assistant", content: "x" }] },
        /has to be the user's/
      ],
      ["is blank", { ...HELLO, messages: [{ role: "user", content: " " }] }, /blank/],
      ["brings tools", { ...HELLO, tools: [{ type: "function" }] }, /an agent, whose own tools/],
      ["wants two answers", { ...HELLO, n: 2 }, /one answer/],
      ["wants a schema", { ...HELLO, response_format: { type: "json_schema" } }, /answers with text/],
      ["wants probabilities", { ...HELLO, logprobs: true }, /probabilities/],
      ["wants a sound", { ...HELLO, modalities: ["text", "audio"] }, /text only/],
      ["stops early", { ...HELLO, stop: ["."] }, /ends its answer itself/],
      [
        "has a file elsewhere",
        withPart({ type: "image_url", image_url: { url: "http://10.0.0.1/a" } }),
        /fetches no address/
      ],
      [
        "has a broken file",
        withPart({ type: "image_url", image_url: { url: "data:image/png;base64,?" } }),
        /not base64/
      ],
      ["has a sound", withPart({ type: "input_audio" }), /not input_audio/]
    ] as const
  )("refuse a body that %s, in OpenAI's shape", ([, body, why]) =>
    Effect.gen(function*() {
      const { begun, request } = yield* stage([finish()])
      const init = typeof body === "string" ? { ...post({}), body } : post(body)
      const { message, status, type } = yield* errorOf(yield* request("/v1/chat/completions", init))
      assert.deepStrictEqual([status, type, begun.length], [400, "invalid_request_error", 0])
      assert.match(message, typeof why === "string" ? new RegExp(why) : why)
    }))

  it.effect("say why a turn failed, and keep clients from sending it again once a tool has run", () =>
    Effect.gen(function*() {
      const error: Given = { type: "error", _tag: "RateLimitError", message: "too many requests", hint: "wait" }
      const first = yield* (yield* stage([error, finish("error")])).complete({})
      assert.deepStrictEqual([first.status, first.headers.get("x-should-retry")], [429, null])
      const { complete } = yield* stage([called("c"), result("c"), error, finish("error")])
      const later = yield* complete({})
      assert.strictEqual(later.headers.get("x-should-retry"), "false")
      const { code, message, status } = yield* errorOf(later)
      assert.deepStrictEqual([status, code, message], [424, "rate_limit", "too many requests: wait"])
      const streamed = yield* chunksOf(yield* complete({ stream: true }))
      assert.strictEqual(streamed.at(-1)?.error.message, "too many requests: wait")
    }))

  it.effect("refuse an agent that is not there, a model that cannot be used, and a chat that was removed meanwhile", () =>
    Effect.gen(function*() {
      const { complete } = yield* stage([])
      const unknown = yield* errorOf(yield* complete({ model: "gpt-5" }))
      assert.deepStrictEqual([unknown.status, unknown.code, unknown.param], [404, "model_not_found", "model"])
      assert.strictEqual((yield* errorOf(yield* complete({ model: "" }))).code, "model_not_found")
      const unavailable = new ModelUnavailable({
        model: "openai/x",
        detail: "no key",
        hint: "set one"
      })
      const without = yield* stage([], { send: () => Effect.fail(unavailable) })
      assert.strictEqual((yield* errorOf(yield* without.complete({}))).status, 503)
      assert.deepStrictEqual(without.done, ["stop c1", "remove c1"])
      assert.strictEqual((yield* errorOf(yield* complete({}))).code, "chat_removed")
      const refused = new ChatErrors.AttachmentRefused({
        name: "a",
        index: 0,
        reason: "type",
        detail: "odd",
        advice: null
      })
      const odd = yield* stage([], { begin: () => Effect.fail(refused) })
      assert.strictEqual((yield* errorOf(yield* odd.complete({}))).code, "invalid_file")
    }))

  it.effect("remove the chat of an answer, unless the request keeps it or a tool wrote something", () =>
    Effect.gen(function*() {
      const plain = yield* stage([finish()])
      yield* plain.complete({})
      assert.deepStrictEqual(plain.done, ["stop c1", "remove c1"])
      const kept = yield* stage([finish()])
      yield* kept.complete({ store: true })
      assert.deepStrictEqual(kept.done, ["stop c1"])
      const written = yield* stage([wrote, finish()])
      yield* written.complete({})
      assert.deepStrictEqual(written.done, ["stop c1"])
    }))

  it.effect("answer what the server refuses before them in OpenAI's shape, too", () =>
    Effect.gen(function*() {
      const request = yield* open({ token: "a-token-of-some-length" })
      const missing = yield* request("/v1/models")
      assert.match(missing.headers.get("www-authenticate") ?? "", /^Bearer/)
      const { code, status, type } = yield* errorOf(missing)
      assert.deepStrictEqual([status, code, type], [401, "invalid_api_key", "invalid_request_error"])
      const bearer = { headers: { authorization: "Bearer a-token-of-some-length" } }
      assert.strictEqual((yield* request("/v1/models", bearer)).status, 200)
      const elsewhere = yield* errorOf(yield* request("/v1/embeddings", { ...post({}), headers: bearer.headers }))
      assert.strictEqual(elsewhere.status, 404)
      const foreign = yield* request("/v1/models", { headers: { origin: "https://evil.example" } })
      assert.strictEqual((yield* errorOf(foreign)).status, 403)
    }))
})

function withPart(part: object) {
  return { ...HELLO, messages: [{ role: "user", content: [part] }] }
}
