import type { Configuration } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as MemoryDisk from "../../../mcp-client/test/support/MemoryDisk.ts"
import { Approvals, McpRegistry } from "../../src/index.ts"
import { configured } from "../support/DeclaredEntries.ts"
import * as Reloading from "../support/Reloading.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"
import * as ScriptedWeb from "../support/ScriptedWeb.ts"

const { advance, tool } = ScriptedHost

const TOOLS = [
  tool("reads", { annotations: { readOnlyHint: true } }),
  tool("repeats", { annotations: { idempotentHint: true } }),
  tool("says_no", { annotations: { idempotentHint: false } }),
  tool("older", { annotations: { readOnly: true } }),
  tool("as_text", { annotations: { idempotentHint: "true", readOnlyHint: 1 } }),
  tool("silent")
]

/** Dies at each of the first calls, and answers after. */
const dying = (deaths: number): ScriptedHost.Script => {
  let calls = 0
  return {
    tools: TOOLS,
    answer: ({ method }, server) => {
      if (method !== "tools/call") return undefined
      calls += 1
      if (calls > deaths) return undefined
      server.exit(7)
      return null
    }
  }
}

const ENTRY = { command: "server", restart: "on-failure", retry: "idempotent" }

const sent = (host: ScriptedHost.Host) =>
  host.running.flatMap(({ received }) => received.filter(({ method }) => method === "tools/call")).length

/** How a call of this tool ends, and how often it was sent. */
const outcome = (script: ScriptedHost.Script, name: string, entry: Reloading.Entries = {}) =>
  Reloading.withWorld(
    { server: script },
    { it: { ...ENTRY, ...entry } },
    ({ host, registry }) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(
          Effect.flip(Effect.flip(registry.call(`it_${name}`, { n: 1 }))).pipe(
            Effect.match({ onSuccess: () => "answered", onFailure: ({ reason }) => reason._tag })
          )
        )
        yield* advance(3)
        return { ended: yield* Fiber.join(call), sent: sent(host), alive: host.alive() }
      })
  ).pipe(Effect.map(({ result }) => result))

describe("retry: idempotent", () => {
  for (const name of ["reads", "repeats"]) {
    it.effect(`sends a call of unknown outcome once more, on the new process: a tool that ${name} (Decision 8)`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* outcome(dying(1), name), { ended: "answered", sent: 2, alive: 1 })
      }))
  }

  for (const name of ["says_no", "older", "as_text", "silent"]) {
    it.effect(`never sends a call twice whose tool does not say so itself: ${name} (Decision 8, R6)`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* outcome(dying(1), name), { ended: "OutcomeUnknown", sent: 1, alive: 1 })
      }))
  }

  it.effect("believes no tool whose entry does not trust what its tools say of themselves (R6)", () =>
    Effect.gen(function*() {
      const more = { trustAnnotations: false, classes: { reads: "reads", repeats: "reads" } }
      for (const name of ["reads", "repeats"]) {
        assert.deepStrictEqual(yield* outcome(dying(1), name, more), { ended: "OutcomeUnknown", sent: 1, alive: 1 })
      }
      assert.strictEqual((yield* outcome(dying(1), "reads", { writes: "ask", classes: { reads: "writes" } })).sent, 1)
    }))

  it.effect("sends nothing twice without it, whatever the tool says (R6)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* outcome(dying(1), "reads", { retry: "never" }), {
        ended: "OutcomeUnknown",
        sent: 1,
        alive: 1
      })
    }))

  it.effect("sends it a third time never, and says that it was sent twice", () =>
    Reloading.withWorld({ server: dying(9) }, { it: ENTRY }, ({ host, registry }) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(Effect.flip(registry.call("it_reads", {})))
        yield* advance(9)
        const { reason } = yield* Fiber.join(call)
        assert.strictEqual(reason._tag, "OutcomeUnknown")
        assert.match(reason.message, /it was sent twice$/)
        assert.strictEqual(sent(host), 2)
      })))

  it.effect("is told as before where there is no new connection", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* outcome(dying(1), "reads", { restart: "never" }), {
        ended: "OutcomeUnknown",
        sent: 1,
        alive: 0
      })
    }))

  it.effect("takes an error, an answer that says so and a limit for answers (R24, R32)", () =>
    Effect.gen(function*() {
      const answering = (answer: NonNullable<ScriptedHost.Script["answer"]>) => ({ tools: TOOLS, answer })
      const error = answering(({ id, method }) =>
        method === "tools/call" && id !== undefined
          ? { jsonrpc: "2.0", id, error: { code: -32603, message: "no" } }
          : undefined
      )
      assert.deepStrictEqual(yield* outcome(error, "reads"), { ended: "answered", sent: 1, alive: 1 })
      const silent = answering(({ method }) => method === "tools/call" ? null : undefined)
      assert.deepStrictEqual(yield* outcome(silent, "reads", { timeout: "1 second" }), {
        ended: "CallTimeout",
        sent: 1,
        alive: 1
      })
    }))

  it.effect("keeps both within maxTotalTimeout", () =>
    Reloading.withWorld(
      {
        server: {
          tools: TOOLS,
          answer: ({ method }, server) => {
            if (method === "tools/call" && server.pid === 1) setImmediate(() => server.exit(1))
            return method === "tools/call" ? null : undefined
          }
        }
      },
      { it: { ...ENTRY, timeout: "1 minute", maxTotalTimeout: "5 seconds" } },
      ({ host, registry }) =>
        Effect.gen(function*() {
          const call = yield* Effect.forkChild(Effect.flip(registry.call("it_reads", {})))
          yield* advance(4)
          assert.strictEqual(sent(host), 2)
          yield* advance(1)
          assert.strictEqual((yield* Fiber.join(call)).reason._tag, "CallTimeout")
        })
    ))

  it.effect("counts as one call for maxConcurrency, and says in the log that it was sent again", () =>
    Reloading.withWorld(
      { server: dying(1) },
      { it: { ...ENTRY, maxConcurrency: 1 } },
      ({ host, registry }) =>
        Effect.gen(function*() {
          const calls = yield* Effect.forkChild(
            Effect.forEach([1, 2], () => registry.call("it_reads", {}), { concurrency: "unbounded" })
          )
          yield* advance(3)
          assert.isTrue((yield* Fiber.join(calls)).every(({ isError }) => !isError))
          assert.strictEqual(sent(host), 3)
          const log = (yield* registry.log("it")).map(({ text }) => text).join("\n")
          assert.match(log, /reads is called a second time: outcome unknown: .* exited with code 7/)
        })
    ))

  it.effect("sends it once more to a server over HTTP whose answer broke off", () =>
    Effect.gen(function*() {
      for (const retry of ["idempotent", "never"] as const) {
        let calls = 0
        const web = yield* ScriptedWeb.server((seen) => {
          if (seen.method === "tools/list") {
            const tools = [tool("find", { annotations: { readOnlyHint: true } })]
            return ScriptedWeb.json(ScriptedWeb.result(seen, { tools }))
          }
          if (seen.method !== "tools/call" || ++calls > 1) return undefined
          return ScriptedWeb.events([
            "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}"
          ])
        })
        yield* ScriptedWeb.withRegistry(web.fetch, { retry }, (registry) =>
          Effect.gen(function*() {
            const call = yield* Effect.forkChild(Effect.exit(registry.call("web_find", {})))
            yield* advance(3)
            assert.strictEqual((yield* Fiber.join(call))._tag, retry === "never" ? "Failure" : "Success")
            assert.strictEqual(calls, retry === "never" ? 1 : 2)
          }))
      }
    }))

  it.effect("has no effect for a server of a project file, approved or not, and says so (R73)", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      disk.files.set("/repo/.mcp.json", JSON.stringify({ mcpServers: { it: { ...ENTRY, command: "server" } } }))
      const host = yield* ScriptedHost.make({ server: dying(1) })
      const servers = yield* configured(disk, { project: "/repo" })
      const ref = yield* SubscriptionRef.make<Configuration>({ servers, sources: [], warnings: [] })
      const layer = host.layerOf(ref).pipe(
        Layer.provide(Approvals.layerFile("/state/approvals.json")),
        Layer.provide(disk.layer)
      )
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* registry.approve("it")
          yield* advance(1)
          const call = yield* Effect.forkChild(Effect.flip(registry.call("it_reads", {})))
          yield* advance(3)
          assert.strictEqual((yield* Fiber.join(call)).reason._tag, "OutcomeUnknown")
          assert.strictEqual(sent(host), 1)
          assert.match((yield* registry.server("it")).warnings.join("\n"), /"retry" has no effect in a project file/)
        })
      ).pipe(Effect.provide(layer))
    }))
})
