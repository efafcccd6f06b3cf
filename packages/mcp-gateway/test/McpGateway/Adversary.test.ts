import { type Caller, type Gateway, McpGateway, Profile, type Verdict } from "@boocode/mcp-gateway"
import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { call, connect, ERAS } from "../support/Clients.ts"

const written: Array<string> = []

const Notes = McpRegistry.layerTest({
  notes: {
    tools: {
      read: () => Effect.succeed("note".repeat(10_000)),
      write: ({ text }) => Effect.sync(() => `written ${written.push(String(text))}`)
    },
    definitions: {
      read: { annotations: { readOnlyHint: true } },
      write: { annotations: { readOnlyHint: false } }
    }
  }
})

const ERROR = {
  _tag: "ConnectFailed",
  message: "no such host hr.internal",
  hint: "",
  exitCode: null,
  signal: null,
  stderr: null,
  code: null,
  method: null,
  limitMillis: null
}

/** The registry with a server that failed for a reason that is nobody's business. */
const Failed = Layer.effect(
  McpRegistry,
  Effect.map(McpRegistry, (registry) =>
    McpRegistry.of({
      ...registry,
      servers: Effect.map(registry.servers, (all) =>
        all.flatMap((one) => [
          one,
          { ...one, name: "payroll", state: "failed" as const, error: ERROR }
        ]))
    }))
).pipe(Layer.provide(Notes))

const ALLOWED = { _tag: "Allowed" } as const

const message = (method: string, params: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params })

const posted = (body: unknown, headers: Record<string, string> = {}) =>
  new Request("http://gateway/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

const begun = (gateway: Gateway, caller: Caller) =>
  Effect.map(
    gateway.handle(
      posted(message("initialize", {
        protocolVersion: "2025-03-26",
        capabilities: {},
        clientInfo: { name: "raw", version: "1" }
      })),
      caller
    ),
    ({ headers }) => headers.get("mcp-session-id") ?? ""
  )

const words = (response: Response) => Effect.promise(() => response.text())

describe("The search of a profile", () => {
  it.effect("tells nothing of servers whose tools the profile leaves out", () =>
    Effect.gen(function*() {
      const profile = (tools: ReadonlyArray<string>) => ({ ...Profile.standard, exposure: "search" as const, tools })
      const said = (tools: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          const gateway = yield* McpGateway.make({ profile: profile(tools) })
          const client = yield* connect(gateway, "legacy")
          return (yield* call(client, "search_tools", { query: "anything at all" })).text
        }).pipe(Effect.scoped)
      assert.include(yield* said(["*"]), "hr.internal")
      assert.include(yield* said(["pay*_read", "notes_*"]), "hr.internal")
      for (const narrow of [["notes_*"], ["*", "!payroll_*"], ["*", "!pay*"]]) {
        const text = yield* said(narrow)
        assert.notInclude(text, "hr.internal", narrow.join())
        assert.notInclude(text, "payroll", narrow.join())
      }
    }).pipe(Effect.provide(Failed)))
})

for (const era of ERAS) {
  describe(`A yes to a call of the ${era} era`, () => {
    const asked = (rule: { verdict: Verdict }) => ({
      rules: () => Effect.sync(() => rule.verdict)
    })

    it.effect("does not count against a rule that came while a person thought about it", () =>
      Effect.gen(function*() {
        const rule: { verdict: Verdict } = { verdict: { _tag: "Ask" } }
        const decided = yield* Deferred.make<typeof ALLOWED>()
        const waiting = { _tag: "Waiting" as const, url: "http://page", decided: Deferred.await(decided) }
        const gateway = yield* McpGateway.make({ gate: { ...asked(rule), approve: () => Effect.succeed(waiting) } })
        const client = yield* connect(gateway, era)
        const calling = yield* Effect.forkChild(call(client, "notes_write", { text: `late ${era}` }))
        for (let seconds = 0; seconds < 60 && calling.pollUnsafe() === undefined; seconds++) {
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          yield* TestClock.adjust("1 second")
        }
        const id = /"id":"([^"]+)"/.exec((yield* Fiber.join(calling)).text)?.[1]
        rule.verdict = { _tag: "Deny", reason: "notes are closed" }
        yield* Deferred.succeed(decided, ALLOWED)
        const { isError, text } = yield* call(client, "approval_status", { id })
        assert.isTrue(isError)
        assert.include(text, "notes are closed")
        assert.notInclude(written, `late ${era}`)
      }).pipe(Effect.provide(Notes)))

    it.effect("does not count for other arguments that a rule denies", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({
          gate: {
            rules: ({ args }) =>
              Effect.succeed(args["text"] === "secret" ? { _tag: "Deny", reason: "secret" } : { _tag: "Ask" }),
            approve: () => Effect.succeed({ _tag: "Allowed", args: { text: "secret" } })
          }
        })
        const client = yield* connect(gateway, era)
        assert.isTrue((yield* call(client, "notes_write", { text: "harmless" })).isError)
        assert.notInclude(written, "secret")
      }).pipe(Effect.provide(Notes)))
  })

  describe(`A result in parts of the ${era} era`, () => {
    it.effect("has in each part what the profile gives at once, and no more", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ profile: { ...Profile.standard, maxResultBytes: 1000 } })
        const client = yield* connect(gateway, era)
        const { text } = yield* call(client, "notes_read")
        const id = /"id":"([^"]+)"/.exec(text)?.[1]
        const { text: part } = yield* call(client, "read_result", { id, offset: 0 })
        assert.isAtMost(part.length, 1000)
        assert.isAbove(part.length, 500)
      }).pipe(Effect.provide(Notes)))
  })
}

describe("A caller with more sessions than it may have", () => {
  it.effect("loses those that were silent for longest, and nobody else loses any", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make()
      yield* begun(gateway, { id: "other" })
      const first = yield* begun(gateway, { id: "one" })
      const listening = new Request("http://gateway/mcp", {
        headers: { accept: "text/event-stream", "mcp-session-id": first }
      })
      const stream = yield* gateway.handle(listening, { id: "one" })
      assert.strictEqual(stream.status, 200)
      const second = yield* begun(gateway, { id: "one" })
      yield* TestClock.adjust("1 second")
      for (let count = 0; count < 1000; count++) yield* begun(gateway, { id: "one" })
      const clients = yield* gateway.clients
      assert.strictEqual(clients.filter(({ caller }) => caller.id === "one").length, 1000)
      assert.strictEqual(clients.filter(({ caller }) => caller.id === "other").length, 1)
      const ids = clients.map(({ id }) => id)
      assert.include(ids, first)
      assert.notInclude(ids, second)
      yield* Effect.promise(() => stream.body?.cancel() ?? Promise.resolve())
    }).pipe(Effect.provide(Notes)), 60_000)
})

describe("A message that no client sends", () => {
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + "1" + close.repeat(depth)

  it.effect("is answered as an error, and the session goes on", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make()
      const caller = { id: "one" }
      const session = yield* begun(gateway, caller)
      const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-03-26" }
      const nested = deep("{\"a\":", "}", 200_000)
      const bodies = [
        `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"notes_read","arguments":${nested}}}`,
        `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"notes_write","arguments":${nested}}}`,
        `{"jsonrpc":"2.0","id":${deep("[", "]", 200_000)},"method":"ping"}`,
        deep("[", "]", 200_000),
        "null",
        "[]",
        "\"ping\"",
        `{"jsonrpc":"2.0","id":{"__proto__":1},"method":"ping"}`,
        `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"__proto__"}}`,
        `{"jsonrpc":"2.0","id":5,"method":"constructor"}`
      ]
      for (const body of bodies) {
        const answer = yield* gateway.handle(posted(body, headers), caller)
        const text = yield* words(answer)
        assert.notInclude(text, "    at ", body.slice(0, 80))
        assert.isTrue(answer.status >= 400 || text.includes("error") || text.includes("isError"), text.slice(0, 200))
      }
      assert.strictEqual((yield* gateway.handle(posted(message("ping", {}), headers), caller)).status, 200)
    }).pipe(Effect.provide(Notes)))

  it.effect("is no batch of so many that nothing else is answered", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make()
      const caller = { id: "one" }
      const session = yield* begun(gateway, caller)
      const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-03-26" }
      const batch = Array.from({ length: 5000 }, (_, id) => message("tools/list", {}, id))
      const answer = yield* gateway.handle(posted(batch, headers), caller)
      assert.strictEqual(answer.status, 400)
      const few = Array.from({ length: 3 }, (_, id) => message("ping", {}, id))
      assert.strictEqual((yield* gateway.handle(posted(few, headers), caller)).status, 200)
    }).pipe(Effect.provide(Notes)))
})
