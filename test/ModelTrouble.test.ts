/** A model over HTTP that has trouble, and a real chat server that makes the best of it. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { join } from "node:path"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import { folder } from "./support/Command.ts"

type Parts = ReadonlyArray<Record<string, unknown>>

const BIG = 30_000

/** A server whose model answers from a script. */
const serving = (script: ModelServer.Script, options: ModelServer.Options = {}) =>
  Effect.gen(function*() {
    const root = yield* folder({
      "data/mcp.json": JSON.stringify({ mcpServers: {} }),
      "data/settings.json": JSON.stringify({ titles: "message" }),
      "data/workspace/big.txt": "ab ".repeat(BIG / 3),
      "data/workspace/small.txt": "small\n"
    })
    const model = yield* ModelServer.make(script, options)
    const server = yield* AppServer.start(join(root, "data"), {
      OPENAI_BASE_URL: `${model.url}/v1`,
      BOOCODE_MODEL: "openai/m"
    })
    return { model, server }
  })

/** A chat of it, and the requests to the model from now on. */
const chatAt = ({ model, server }: Effect.Success<ReturnType<typeof serving>>) =>
  Effect.gen(function*() {
    const before = model.requests.length
    const { body } = yield* server.post("/api/chats", {})
    const say = (text: string) => server.stream(`/api/chats/${String(body["id"])}/messages`, { text })
    return { id: String(body["id"]), asked: () => model.requests.slice(before), server, say }
  })

/** The same, at a server of its own. */
const chatting = (script: ModelServer.Script, options: ModelServer.Options) =>
  Effect.flatMap(serving(script, options), chatAt)

const types = (parts: Parts, ...wanted: ReadonlyArray<string>) =>
  parts.map(({ type }) => String(type)).filter((type) => wanted.length === 0 || wanted.includes(type))

const said = (parts: Parts) => parts.flatMap(({ text, type }) => type === "text-delta" ? [String(text)] : []).join("")

/** Answers as scripted, one reply a request; the last one again and again. */
const inTurn = (...replies: ReadonlyArray<ModelServer.Reply>): ModelServer.Script => {
  let at = 0
  return () => replies[Math.min(at++, replies.length - 1)] ?? []
}

const reads = (path: string) => ModelServer.call("view_file", { path })

describe("A chat whose model has trouble", () => {
  const scope = Scope.makeUnsafe()
  let shared: Effect.Success<ReturnType<typeof serving>>

  beforeAll(async () => {
    shared = await Effect.runPromise(Scope.provide(serving(ModelServer.echo), scope))
  })

  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const sharing = (script: ModelServer.Script) =>
    Effect.suspend(() => {
      shared.model.answer(script)
      return chatAt(shared)
    })

  it.live("waits as long as a rate limit wants, and an overloaded model is asked again", () =>
    Effect.gen(function*() {
      const { asked, say } = yield* sharing(inTurn(
        ModelServer.fail(429, "rate_limit_error", "Slow down", { "retry-after": "2" }),
        ModelServer.fail(529, "overloaded_error", "Overloaded"),
        [ModelServer.text("Here I am.")]
      ))
      const started = Date.now()
      const parts = yield* say("hi")
      assert.isAtLeast(Date.now() - started, 3500, "2 seconds as asked for, then 2 of its own")
      assert.deepStrictEqual(asked().map(({ status }) => status), [429, 529, 200])
      assert.deepStrictEqual(types(parts, "retry", "error", "finish"), ["retry", "retry", "finish"])
      assert.strictEqual(said(parts), "Here I am.")
      assert.isAtLeast(Number(parts.find(({ type }) => type === "retry")?.["delayMillis"]), 2000)
      const usage = parts.at(-1)?.["usage"]
      assert.isAbove(Number(Reflect.get(Object(usage), "inputTokens")), 0)
    }), 60_000)

  it.live("asks again when a stream is dropped, and runs no call of it", () =>
    Effect.gen(function*() {
      const { asked, say } = yield* sharing(inTurn(
        [reads("small.txt")],
        [ModelServer.text("Half a sen"), reads("big.txt"), ModelServer.text("."), ModelServer.drop],
        [reads("small.txt")],
        [ModelServer.text("Done.")]
      ))
      const parts = yield* say("read")
      assert.deepStrictEqual(types(parts, "retry", "error", "finish"), ["retry", "finish"])
      const results = parts.filter(({ type }) => type === "tool-result")
      assert.isTrue(results.every(({ isError, text }) => isError === true || String(text).includes("small")))
      assert.strictEqual(results.filter(({ isError }) => isError === false).length, 2)
      assert.deepStrictEqual(asked().map(({ problem }) => problem), [null, null, null, null])
      assert.notInclude(JSON.stringify(asked()[3]?.body), "Half a sen")
      const next = yield* say("thanks")
      assert.strictEqual(said(next), "Done.")
      assert.isNull(asked()[4]?.problem, "the history is sound")
      assert.notInclude(JSON.stringify(asked()[4]?.body), "Half a sen")
    }), 60_000)

  it.live(
    "learns how much its model reads from a refusal, leaves out what is old, and shows all of it still",
    () =>
      Effect.gen(function*() {
        const script: ModelServer.Script = ({ body, results }) => {
          if (JSON.stringify(body["messages"]).length > 60_000) {
            return ModelServer.fail(
              400,
              "context_length_exceeded",
              "This model's maximum context length is 16384 tokens. However, your messages resulted in 20000 tokens."
            )
          }
          const count = Array.isArray(body["messages"]) ? body["messages"].length : 0
          return results.length > 0 && count > 5 ? [ModelServer.text("Read.")] : [reads("big.txt")]
        }
        const { asked, id, say, server } = yield* sharing(script)
        const parts = yield* say("read")
        assert.deepStrictEqual(types(parts, "compaction", "retry", "error"), ["compaction"])
        assert.strictEqual(said(parts), "Read.")
        assert.deepStrictEqual(asked().map(({ status }) => status), [200, 200, 400, 200])
        assert.include(JSON.stringify(asked()[3]?.body), "is left out now")
        const again = yield* say("once more")
        assert.isFalse(asked().slice(4).some(({ status }) => status === 400), "it is known now")
        assert.strictEqual(types(again).at(-1), "finish")
        const { body } = yield* server.get(`/api/chats/${id}`)
        assert.strictEqual(JSON.stringify(body).split("ab ab ab").length > 1, true, "nothing is deleted")
        assert.notInclude(JSON.stringify(body), "is left out now")
      }),
    60_000
  )

  it.live("reads from its server how much a model reads, and suggests its models", () =>
    Effect.gen(function*() {
      const { asked, say, server } = yield* chatting(
        inTurn([reads("big.txt")], [reads("big.txt")], [ModelServer.text("Read.")]),
        { models: [{ id: "m", max_model_len: 16_000 }, { id: "other" }] }
      )
      const { body } = yield* server.get("/api/models")
      const [openai] = (Array.isArray(body["models"]) ? body["models"] : []).filter(({ provider }) =>
        provider === "openai"
      )
      assert.deepStrictEqual(openai?.suggested, [
        { id: "openai/m", contextTokens: 16_000, inputPrice: null, outputPrice: null, seesImages: null, used: null },
        {
          id: "openai/other",
          contextTokens: null,
          inputPrice: null,
          outputPrice: null,
          seesImages: null,
          used: null
        }
      ])
      const parts = yield* say("read")
      const compaction = parts.find(({ type }) => type === "compaction")
      assert.strictEqual(compaction?.["limit"], 12_000)
      assert.deepStrictEqual(asked().map(({ status }) => status), [200, 200, 200])
    }), 60_000)

  it.live("says what to do when the key is wrong, and does not try again", () =>
    Effect.gen(function*() {
      const { asked, say } = yield* chatting(() => [ModelServer.text("no")], { openAiKey: "right" })
      const parts = yield* say("hi")
      assert.strictEqual(asked().length, 1)
      assert.deepStrictEqual(types(parts), ["error", "finish"])
      assert.match(String(parts[0]?.["hint"]), /check the provider's API key/)
    }), 60_000)
})
