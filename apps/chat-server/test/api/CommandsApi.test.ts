import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { json, open, post } from "../support/Scripted.ts"

const body = (response: Response): Effect.Effect<Record<string, unknown>> => Effect.map(json(response), Object)

describe("Commands, prompts and resources over HTTP", () => {
  it.effect("lists the built-in commands", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const { commands } = yield* body(yield* ask("/api/commands"))
      assert.include(JSON.stringify(commands), "\"name\":\"export\"")
    }))

  it.effect("lists prompts with whose could not be had, and fills one in", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const list = yield* body(yield* ask("/api/prompts"))
      assert.match(JSON.stringify(list["prompts"]), /"server":"files","name":"review"/)
      assert.deepStrictEqual(list["failed"], [{ server: "slow", message: "slow: no answer", hint: "wait" }])
      const filled = yield* ask("/api/mcp/servers/files/prompts/review", post({ args: { path: "a.md" } }))
      assert.strictEqual(filled.status, 200)
      assert.deepStrictEqual(yield* json(filled), {
        description: "A review.",
        messages: [{ role: "user", content: { type: "text", text: "Review a.md." } }],
        truncated: null,
        said: [{ role: "user", text: "Review a.md." }],
        text: "Review a.md."
      })
    }))

  it.effect("answers 404 with the nearest to a name that is not there, and 400 to a misspelt key", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const unknown = yield* ask("/api/mcp/servers/files/prompts/revue", post({}))
      assert.deepStrictEqual([unknown.status, (yield* body(unknown))["nearest"]], [404, ["review"]])
      assert.strictEqual((yield* ask("/api/prompts?server=fils")).status, 404)
      const resource = yield* ask("/api/mcp/servers/files/resources/read", post({ uri: "file:///note.md" }))
      assert.deepStrictEqual([resource.status, (yield* body(resource))["nearest"]], [404, ["file:///notes.md"]])
      assert.strictEqual((yield* ask("/api/mcp/servers/files/prompts/review", post({ arg: {} }))).status, 400)
    }))

  it.effect("finds resources by words, reads one, and completes", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const found = yield* body(yield* ask("/api/resources?q=PLAN%20files"))
      assert.match(JSON.stringify(found["resources"]), /^\[\{[^}]*plan\.md[^}]*\}\]$/)
      assert.strictEqual(found["total"], 1)
      const cut = yield* body(yield* ask("/api/resources?limit=1"))
      assert.deepStrictEqual([Object(cut["resources"]).length, cut["total"]], [1, 2])
      const read = yield* ask("/api/mcp/servers/files/resources/read", post({ uri: "file:///notes.md" }))
      assert.match(JSON.stringify(yield* json(read)), /"text":"# Notes"/)
      const ref = { type: "ref/prompt", name: "review" }
      const completed = yield* ask(
        "/api/mcp/servers/files/complete",
        post({ ref, argument: { name: "path", value: "no" } })
      )
      assert.deepStrictEqual(yield* json(completed), { values: ["no.md"], hasMore: false })
    }))

  it.effect("agents say where they are written", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const { agents } = yield* body(yield* ask("/api/agents"))
      assert.match(JSON.stringify(agents), /"file":"data\/AGENTS\.md","line":4/)
    }))

  it.effect("tells on the stream of events that a file of agents changed", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const response = yield* ask("/api/events")
      const seen = yield* Effect.promise(async () => {
        let text = ""
        const reader = response.body?.getReader()
        const decoder = new TextDecoder()
        while (reader !== undefined && !text.includes("\"agents\"")) {
          text += decoder.decode((await reader.read()).value)
        }
        await reader?.cancel()
        return text
      })
      assert.include(seen, "data: {\"type\":\"agents\"}")
    }))
})
