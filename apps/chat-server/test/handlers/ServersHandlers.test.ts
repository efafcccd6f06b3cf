import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { json, open, post, trustDetails } from "../support/Scripted.ts"

const body = (response: Response): Effect.Effect<Record<string, unknown>> => Effect.map(json(response), Object)

describe("Deciding about a server over HTTP", () => {
  it.effect("shows what a decision is about", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const response = yield* ask("/api/mcp/servers/files/trust")
      assert.deepStrictEqual([response.status, yield* json(response)], [200, trustDetails])
      assert.strictEqual((yield* ask("/api/mcp/servers/fils/trust")).status, 404)
    }))

  it.effect("approves and rejects, for good or once, what was looked at", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const decided = (verb: string, init: RequestInit) =>
        Effect.flatMap(ask(`/api/mcp/servers/files/${verb}`, init), body)
      const plain = yield* decided("approve", { method: "POST" })
      assert.deepStrictEqual(plain["warnings"], ["approved always unseen"])
      const once = yield* decided("approve", post({ once: true, seen: "ab12" }))
      assert.deepStrictEqual(once["warnings"], ["approved once ab12"])
      const rejected = yield* decided("reject", post({ once: false }))
      assert.deepStrictEqual(rejected["warnings"], ["rejected always unseen"])
    }))

  it.effect("answers 409 when the entry changed since, or needs no approval, and 400 to what it does not know", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const problem = Effect.fnUntraced(function*(path: string, init: RequestInit) {
        const response = yield* ask(`/api/mcp/servers/${path}`, init)
        const { _tag, state } = yield* body(response)
        return [response.status, _tag, state]
      })
      assert.deepStrictEqual(yield* problem("files/approve", post({ seen: "stale" })), [409, "EntryChanged", "changed"])
      assert.deepStrictEqual(yield* problem("files/revoke", { method: "POST" }), [
        409,
        "ApprovalNotNeeded",
        "not-needed"
      ])
      assert.deepStrictEqual((yield* problem("files/approve", post({ onec: true }))).slice(0, 1), [400])
      assert.deepStrictEqual((yield* problem("fils/approve", post({}))).slice(0, 2), [404, "UnknownServer"])
    }))

  it.effect("is not done for a page of somebody else", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const init = { ...post({}), headers: { "content-type": "application/json", origin: "https://evil.example" } }
      assert.strictEqual((yield* ask("/api/mcp/servers/files/approve", init)).status, 403)
    }))
})
