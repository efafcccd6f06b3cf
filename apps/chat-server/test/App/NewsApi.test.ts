import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { json, open, post, text } from "../support/Scripted.ts"

/** The documents of an answer that streams, once it is over. */
const documents = (response: Response) =>
  Effect.map(
    text(response),
    (stream) =>
      stream.split("\n").filter((line) => line.startsWith("data: ")).map((line) => Object(JSON.parse(line.slice(6))))
  )

describe("News of servers over HTTP", () => {
  it.effect("a ping says how long the answer took, or 404 for a server that nobody has", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      assert.deepStrictEqual(yield* json(yield* ask("/api/mcp/servers/files/ping", post({}))), { millis: 7 })
      assert.strictEqual((yield* ask("/api/mcp/servers/fils/ping", post({}))).status, 404)
    }))

  it.effect("updates of a resource come from when it is watched on, as they are heard, and what ends them as a problem", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const watch = (server: string) => ask(`/api/mcp/servers/${server}/resources/watch?uri=memo%3A%2F%2Fa`)
      const response = yield* watch("files")
      assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/)
      assert.deepStrictEqual(yield* documents(response), [
        { uri: "memo://a", at: 0 },
        { uri: "memo://a", at: 1000 },
        { uri: "memo://a/part", at: 2000 }
      ])
      const [last] = yield* documents(yield* watch("slow"))
      assert.deepInclude(last.problem, { status: 409, _tag: "NotOffered", state: "not-offered" })
      assert.strictEqual((yield* watch("fils")).status, 404)
      assert.strictEqual((yield* ask("/api/mcp/servers/files/resources/watch")).status, 400)
    }))

  it.effect("a level of log messages is one of the eight, or null", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const put = (level: unknown) => ask("/api/mcp/servers/files/log-level", { ...post({ level }), method: "PUT" })
      assert.strictEqual(Object(yield* json(yield* put("debug"))).name, "files")
      assert.strictEqual((yield* put(null)).status, 200)
      assert.strictEqual((yield* put("loud")).status, 400)
    }))

  it.effect("a call tells its progress, then its result, or the problem that it would be answered with", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const called = (tool: string, body: object = { args: {} }) => ask(`/api/tools/${tool}/stream`, post(body))
      const [progress, result, ...more] = yield* documents(yield* called("files_counted"))
      assert.deepStrictEqual(progress, { type: "progress", progress: 1, total: 2, message: "half" })
      assert.deepStrictEqual([result.type, result.result.text, more], ["result", "done", []])
      const [refused] = yield* documents(yield* called("files_timeout"))
      assert.deepInclude(refused.problem, { status: 504, _tag: "CallTimeout", limit: "timeout" })
      const [unknown] = yield* documents(yield* called("web_get"))
      assert.deepInclude(unknown.problem, { status: 404, nearest: ["files_read"] })
      assert.strictEqual((yield* called("files_counted", { arg: {} })).status, 400)
    }))
})
