import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as AskingServers from "../../support/AskingServers.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const { NAME, answering, at, form, hosting, received, sampling } = AskingServers

type Json = Schema.JsonObject

const accept = { action: "accept", content: { name: "Ada" } } as const

/** What a server of 2026-07-28 answers to a call, given what it was sent: a result, or what it needs first. */
type Answer = (params: Json, server: ScriptedHost.Running) => Json | "silence"

const modern = (answer: Answer): ScriptedHost.Script => ({
  answer: (message, server) => {
    const { id, method } = message
    if (id === undefined) return null
    const result = (value: Json) => ({ jsonrpc: "2.0", id, result: { resultType: "complete", ...value } })
    switch (method) {
      case "server/discover":
        return result({
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {}, prompts: {}, resources: {} },
          serverInfo: { name: "scripted", version: "1" },
          ttlMs: 0,
          cacheScope: "public"
        })
      case "tools/list":
        return result({ tools: [ScriptedHost.tool("ask")], ttlMs: 0, cacheScope: "public" })
      case "prompts/list":
        return result({ prompts: [{ name: "p" }], ttlMs: 0, cacheScope: "public" })
      case "tools/call":
      case "prompts/get":
      case "resources/read": {
        const answered = answer(at(message, "params"), server)
        return answered === "silence" ? null : result(answered)
      }
      default:
        return null
    }
  }
})

const needs = (inputRequests: Json, requestState?: string): Json => ({
  resultType: "input_required",
  inputRequests,
  ...(requestState === undefined ? {} : { requestState })
})

const done = (value: Schema.Json): Json => ({ content: [{ type: "text", text: JSON.stringify(value) }] })

const withServer = <A, E>(
  answer: Answer,
  requests: AskingServers.Service,
  body: (
    registry: Parameters<Parameters<typeof AskingServers.withEntries<A, E>>[3]>[0],
    server: ScriptedHost.Running
  ) => Effect.Effect<A, E>,
  entry: object = {}
) =>
  AskingServers.withEntries(
    { server: modern(answer) },
    { it: { command: "server", protocol: "2026-07-28", ...entry } },
    requests,
    (registry, host) => {
      const [server] = host.running
      return server === undefined ? Effect.die("there is no server") : body(registry, server)
    }
  )

describe("A server that needs answers first (2026-07-28)", () => {
  it.effect("gets all it asks for in one round, and its state as it came, under a new id (R56)", () => {
    const person = answering(accept, "hello")
    const state = " \u0000 not {JSON} é ✓"
    const roots = { current: Effect.succeed([{ uri: "file:///work", name: null }]), changes: Stream.empty }
    const answer: Answer = (params) =>
      params["inputResponses"] === undefined
        ? needs({ who: form(NAME), words: sampling(), where: { method: "roots/list" } }, state)
        : done([params["inputResponses"], params["requestState"] ?? null])
    return withServer(answer, hosting({ roots }), (registry, server) =>
      Effect.gen(function*() {
        const result = yield* registry.call("it_ask", { a: 1 }, { asker: person.asker })
        assert.deepStrictEqual(AskingServers.answerOf(result), [
          {
            who: accept,
            words: { role: "assistant", content: { type: "text", text: "hello" }, model: "m1", stopReason: "endTurn" },
            where: { roots: [{ uri: "file:///work" }] }
          },
          state
        ])
        const calls = received(server, "tools/call")
        assert.strictEqual(new Set(calls.map(({ id }) => id)).size, 2)
        assert.deepStrictEqual(calls.map((call) => at(call, "params")["arguments"]), [{ a: 1 }, { a: 1 }])
        assert.deepStrictEqual(at(calls[0], "params", "_meta")["io.modelcontextprotocol/clientCapabilities"], {
          elicitation: { form: {}, url: {} },
          sampling: {},
          roots: {}
        })
        // An answer of its own would be none of this revision.
        assert.lengthOf(server.received.filter(({ method }) => method === undefined), 0)
      }))
  })

  it.effect("gets the state of its last round only, and none where it gave none", () => {
    const person = answering(accept)
    let round = 0
    const answer: Answer = () => {
      round++
      if (round === 1) return needs({ first: form(NAME) }, "one")
      if (round === 2) return needs({ second: form(NAME) })
      return done("ready")
    }
    return withServer(answer, hosting(), (registry, server) =>
      Effect.gen(function*() {
        yield* registry.call("it_ask", {}, { asker: person.asker })
        const [, second, third] = received(server, "tools/call").map((call) => at(call, "params"))
        assert.deepInclude(second, { inputResponses: { first: accept }, requestState: "one" })
        assert.deepInclude(third, { inputResponses: { second: accept } })
        assert.doesNotHaveAnyKeys(third ?? {}, ["requestState"])
        yield* registry.call("it_ask", {}, { asker: person.asker })
        const later = at(received(server, "tools/call")[3], "params")
        assert.doesNotHaveAnyKeys(later, ["requestState", "inputResponses"])
      }))
  })

  it.effect("gets no state where it gave something that is no text", () => {
    const person = answering(accept)
    const states = [null, 7, { a: 1 }]
    let round = 0
    const answer: Answer = () => {
      const requestState = states[round++]
      return requestState === undefined ? done("ready") : { ...needs({ first: form(NAME) }), requestState }
    }
    return withServer(answer, hosting(), (registry, server) =>
      Effect.gen(function*() {
        yield* registry.call("it_ask", {}, { asker: person.asker })
        const [, ...retries] = received(server, "tools/call").map((call) => at(call, "params"))
        assert.lengthOf(retries, states.length)
        for (const retry of retries) assert.doesNotHaveAnyKeys(retry, ["requestState"])
      }))
  })

  it.effect("is asked again after a moment where it is only busy, and not for ever", () =>
    withServer(() => needs({}, "busy"), hosting(), (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("it_ask", {}))
        yield* ScriptedHost.advance(1)
        assert.isAbove(received(server, "tools/call").length, 2)
        assert.isBelow(received(server, "tools/call").length, 7)
        yield* ScriptedHost.advance(3)
        const result = yield* Fiber.join(call)
        assert.isTrue(result.isError)
        assert.include(JSON.stringify(result.content), "10 times are enough")
        assert.lengthOf(received(server, "tools/call"), 11)
      })))

  it.effect("cannot keep asking: after ten rounds its call fails, and says why", () => {
    const person = answering(accept)
    return withServer(() => needs({ again: form(NAME) }), hosting(), (registry, server) =>
      Effect.gen(function*() {
        const result = yield* registry.call("it_ask", {}, { asker: person.asker })
        assert.isTrue(result.isError)
        assert.lengthOf(person.asked, 10)
        assert.lengthOf(received(server, "tools/call"), 11)
      }))
  })

  it.effect("fails its own call by what it may not ask, or what nobody can answer", () => {
    const wrong = [
      [needs({ what: { method: "tasks/get", params: {} } }), "the protocol has no such request"],
      [needs({ what: "?" }), "the protocol has no such request"],
      [needs({ what: sampling() }), "a person said no"],
      [needs({ what: { method: "roots/list" } }), "Method not found"],
      [needs({ what: form({ inner: { type: "object" } }) }), "no form"],
      [{ resultType: "input_required" }, "does not ask for any"]
    ] as const
    let at = 0
    const person = answering(accept)
    return withServer(() => wrong[at]?.[0] ?? {}, hosting(), (registry) =>
      Effect.gen(function*() {
        for (; at < wrong.length; at++) {
          const result = yield* registry.call("it_ask", {}, { asker: person.asker })
          assert.isTrue(result.isError)
          assert.include(JSON.stringify(result.content), String(wrong[at]?.[1]))
        }
      }))
  })

  it.effect("does not learn by what is said of its questions what it may not tell", () => {
    const answer: Answer = () => needs({ what: form({ "canary-secret": { type: "object" } }) })
    return withServer(answer, hosting(), (registry) =>
      Effect.gen(function*() {
        const { reason } = yield* Effect.flip(registry.prompt("it", "p", {}))
        assert.include(reason.message, "its field <redacted> is no text")
      }), { env: { TOKEN: "canary-secret" } })
  })

  it.effect("waits as long as a person takes, and each call's questions go to its own caller", () => {
    const [ada, bob] = [AskingServers.patient(), AskingServers.patient()]
    const answer: Answer = (params) =>
      params["inputResponses"] === undefined
        ? needs({ who: form(NAME) }, String(at(params, "arguments")["of"]))
        : done([at(params, "inputResponses", "who", "content")["name"] ?? null, params["requestState"] ?? null])
    return withServer(answer, hosting(), (registry) =>
      Effect.gen(function*() {
        const one = yield* Effect.forkChild(registry.call("it_ask", { of: "one" }, { asker: ada.asker }))
        const two = yield* Effect.forkChild(registry.call("it_ask", { of: "two" }, { asker: bob.asker }))
        yield* ScriptedHost.drain
        yield* TestClock.adjust("10 minutes")
        bob.say({ action: "accept", content: { name: "Bob" } })
        assert.deepStrictEqual(AskingServers.answerOf(yield* Fiber.join(two)), ["Bob", "two"])
        assert.isUndefined(one.pollUnsafe())
        ada.say({ action: "accept", content: { name: "Ada" } })
        assert.deepStrictEqual(AskingServers.answerOf(yield* Fiber.join(one)), ["Ada", "one"])
      }), { timeout: "1 second", maxTotalTimeout: "2 seconds" })
  })

  it.effect("loses its question with its call", () => {
    const person = answering(null)
    return withServer(() => needs({ who: form(NAME) }), hosting(), (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("it_ask", {}, { asker: person.asker }))
        yield* ScriptedHost.drain
        assert.lengthOf(person.asked, 1)
        yield* Fiber.interrupt(call)
        assert.strictEqual(person.interrupted(), 1)
        yield* ScriptedHost.drain
        assert.lengthOf(received(server, "tools/call"), 1)
      }))
  })

  it.effect("may need answers for a prompt and a resource too", () => {
    const person = answering(accept)
    const answer: Answer = (params) => {
      if (params["inputResponses"] === undefined) return needs({ who: form(NAME) })
      return params["uri"] === undefined
        ? { messages: [{ role: "user", content: { type: "text", text: "filled in" } }] }
        : { contents: [{ uri: "x:y", text: "read" }], ttlMs: 0, cacheScope: "private" }
    }
    return withServer(answer, hosting(), (registry) =>
      Effect.gen(function*() {
        const prompt = yield* registry.prompt("it", "p", {}, { asker: person.asker })
        assert.include(JSON.stringify(prompt), "filled in")
        const [content] = yield* registry.readResource("it", "x:y", { asker: person.asker })
        assert.strictEqual(content?.text, "read")
        assert.lengthOf(person.asked, 2)
      }))
  })
})
