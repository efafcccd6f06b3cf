import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { json, open, post } from "../support/Scripted.ts"

const put = (body: unknown): RequestInit => ({ ...post(body), method: "PUT" })

/** The status of an answer, and what of it a test looks at. */
const answered = (request: (path: string, init?: RequestInit) => Effect.Effect<Response>) =>
  Effect.fnUntraced(function*(path: string, init?: RequestInit) {
    const response = yield* request(path, init)
    return { status: response.status, body: response.status === 204 ? null : Object(yield* json(response)) }
  })

describe("Agents over HTTP", () => {
  it.effect("are listed with their prompt, and whether they can be changed", () =>
    Effect.gen(function*() {
      const ask = answered(yield* open())
      const { body: { agents: [first] } } = yield* ask("/api/agents")
      assert.deepInclude(first, { name: "Assistant", prompt: "Help.", editable: true, why: null })
    }))

  it.effect("are made with 201, whatever is left out or null", () =>
    Effect.gen(function*() {
      const ask = answered(yield* open())
      const made = yield* ask("/api/agents", post({ name: "Ada", prompt: "Count.", model: null }))
      assert.strictEqual(made.status, 201)
      assert.deepInclude(made.body, {
        name: "Ada",
        prompt: "Count.",
        tools: null,
        model: null,
        steps: 25,
        editable: true
      })
      const all = { description: "d", tools: ["x_*"], model: "openai/gpt-5", steps: 3, temperature: 0.5, ask: ["*"] }
      const whole = yield* ask("/api/agents", post({ name: "Bea", prompt: "", ...all }))
      assert.deepInclude(whole.body, { name: "Bea", ...all })
    }))

  it.effect("are refused with the wrong key by name, and a misspelt key is no agent with every tool", () =>
    Effect.gen(function*() {
      const ask = answered(yield* open())
      const nameless = yield* ask("/api/agents", post({ name: "", prompt: "" }))
      assert.strictEqual(nameless.status, 400)
      assert.deepInclude(nameless.body, { _tag: "AgentRefused", key: "name", detail: "name: an agent needs a name" })
      const misspelt = yield* ask("/api/agents", post({ name: "Ada", prompt: "", tolls: [] }))
      assert.strictEqual(misspelt.status, 400)
      assert.include(misspelt.body.detail, "tolls")
      assert.strictEqual((yield* ask("/api/agents", post({ name: "Ada" }))).status, 400)
      const taken = yield* ask("/api/agents", post({ name: "Assistant", prompt: "" }))
      assert.deepInclude(taken, { status: 409 })
      assert.deepInclude(taken.body, { _tag: "AgentConflict", state: "taken" })
    }))

  it.effect("are changed and taken away by their name", () =>
    Effect.gen(function*() {
      const ask = answered(yield* open())
      const changed = yield* ask("/api/agents/Assistant", put({ name: "Helper", prompt: "Help more." }))
      assert.strictEqual(changed.status, 200)
      assert.deepInclude(changed.body, { name: "Helper", prompt: "Help more.", tools: null })
      assert.strictEqual((yield* ask("/api/agents/Assistant", { method: "DELETE" })).status, 204)
      for (const init of [put({ name: "x", prompt: "" }), { method: "DELETE" }]) {
        const unknown = yield* ask("/api/agents/Asistant", init)
        assert.strictEqual(unknown.status, 404)
        assert.deepInclude(unknown.body, { _tag: "UnknownAgent", nearest: ["Assistant"] })
        assert.strictEqual((yield* ask("/api/agents/Fixed", init)).status, 409)
      }
    }))

  it.effect("tell what their patterns come to before they are written", () =>
    Effect.gen(function*() {
      const ask = answered(yield* open())
      const found = yield* ask("/api/agents/preview", post({ tools: ["files_*", "vew_file"], ask: ["files_read"] }))
      assert.deepStrictEqual(found, {
        status: 200,
        body: {
          tools: [
            { name: "view_file", server: null, allowed: false, pattern: null, asks: false },
            { name: "files_read", server: "files", allowed: true, pattern: "files_*", asks: true }
          ],
          unmatched: [{ key: "tools", pattern: "vew_file", nearest: ["view_file"], waiting: null }],
          tokens: 5
        }
      })
      const wrong = yield* ask("/api/agents/preview", post({ tools: ["*"], ask: ["a b"] }))
      assert.strictEqual(wrong.status, 400)
      assert.deepInclude(wrong.body, { key: "ask" })
    }))
})
