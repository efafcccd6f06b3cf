import { type ConfiguredServer, Environment, McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { Connection } from "../../../mcp-client/src/contract/Connection.ts"
import { AuthRequired, ConnectionLost } from "../../../mcp-client/src/errors/McpError.ts"
import * as ServerState from "../../src/state/ServerState.ts"
import { NOTHING } from "../../src/tools/Discovery.ts"

/** The server of this entry. */
const configured = (entry: Readonly<Record<string, unknown>>): Effect.Effect<ConfiguredServer> =>
  McpConfig.use(({ current }) => Effect.map(current, ({ servers }) => servers[0])).pipe(
    Effect.flatMap((server) => server === undefined ? Effect.die("no server") : Effect.succeed(server)),
    Effect.provide(
      Layer.provide(
        McpConfig.layerEntries({ s: entry }),
        Layer.mergeAll(Environment.layer({}), FileSystem.layerNoop({}), Path.layer)
      )
    ),
    Effect.orDie
  )

const connection: Connection = Object.create(null)
const other: Connection = Object.create(null)
const lost = new ConnectionLost({ detail: "gone" })
const knowledge: ServerState.Knowledge = {
  discovered: { ...NOTHING, listed: [{ name: "echo" }] },
  instructions: "Be kind.",
  capabilities: { tools: true, prompts: false, resources: false, subscribe: false, completions: false, logging: true },
  logLevel: "info"
}
const step = (millis: number) => [{ step: "start", millis }]

const opened: ServerState.ServerEvent = {
  _tag: "Opened",
  connection,
  knowledge,
  diagnostics: [],
  steps: [...step(2), ...step(3)]
}
const failed = (isTriedAgain: boolean): ServerState.ServerEvent => ({
  _tag: "Lost",
  reason: lost,
  steps: null,
  isTriedAgain
})

const after = (entry: ConfiguredServer, ...events: ReadonlyArray<ServerState.ServerEvent>) =>
  events.reduce(ServerState.next, ServerState.initial(entry))

/** The state, and how it is tried again where it failed. */
const shown = (state: ServerState.ServerState) =>
  state.phase._tag === "Failed" ? `${ServerState.stateOf(state)}, ${state.phase.retry}` : ServerState.stateOf(state)

const EVENTS: ReadonlyArray<ServerState.ServerEvent> = [
  { _tag: "Launched" },
  { _tag: "Recalled", knowledge },
  opened,
  { _tag: "Listed", connection, discovered: NOTHING, diagnostics: [] },
  { _tag: "Judged", discovered: knowledge.discovered },
  failed(true),
  { _tag: "Slept" },
  { _tag: "Woken" },
  { _tag: "Waiting", pace: "slowly" },
  { _tag: "Retried", isRestart: true },
  { _tag: "PingsMissed", count: 1 },
  { _tag: "AuthChanged", auth: null },
  { _tag: "LevelChanged", level: "error" },
  { _tag: "Stopped" },
  { _tag: "Closed" }
]

describe("ServerState", () => {
  it.effect("begins as the entry says", () =>
    Effect.gen(function*() {
      const on = yield* configured({ command: "s" })
      assert.strictEqual(shown(ServerState.initial(on)), "connecting")
      assert.strictEqual(shown(ServerState.initial({ ...on, enabled: false })), "disabled")
      assert.strictEqual(shown(ServerState.initial({ ...on, needsApproval: true })), "needs-approval, none")
      assert.strictEqual(shown(ServerState.initial(yield* configured({ command: 7 }))), "failed, none")
    }))

  it.effect("goes through a life, one event at a time", () =>
    Effect.gen(function*() {
      const entry = yield* configured({ command: "s" })
      const life: ReadonlyArray<readonly [ServerState.ServerEvent, string]> = [
        [failed(true), "failed, trying"],
        [{ _tag: "Waiting", pace: "soon" }, "failed, soon"],
        [{ _tag: "Retried", isRestart: false }, "failed, trying"],
        [opened, "ready"],
        [{ _tag: "Slept" }, "ready"],
        [{ _tag: "Woken" }, "ready"],
        [opened, "ready"],
        [failed(true), "failed, trying"],
        [{ _tag: "Waiting", pace: "slowly" }, "failed, slowly"],
        [{ _tag: "Retried", isRestart: true }, "failed, trying"],
        [failed(false), "failed, none"],
        [{ _tag: "Launched" }, "connecting"],
        [{ _tag: "Stopped" }, "stopped"],
        [{ _tag: "Closed" }, "stopped"]
      ]
      let state = ServerState.initial(entry)
      for (const [event, expected] of life) {
        state = ServerState.next(state, event)
        assert.strictEqual(shown(state), expected, event._tag)
      }
      assert.deepStrictEqual([state.failures, state.restarts, state.connectMillis], [3, 1, 5])
    }))

  it.effect("keeps what it knows of a server that is away, and forgets it when it is stopped", () =>
    Effect.gen(function*() {
      const entry = yield* configured({ command: "s" })
      assert.strictEqual(after(entry, opened, failed(true)).instructions, "Be kind.")
      assert.isTrue(ServerState.isAsleep(after(entry, opened, { _tag: "Slept" })))
      const stopped = after(entry, opened, { _tag: "Stopped" })
      assert.deepStrictEqual([stopped.instructions, stopped.discovered, stopped.logLevel], [null, NOTHING, null])
    }))

  it.effect("is idle while it sleeps, and no longer once a call wakes it", () =>
    Effect.gen(function*() {
      const slept = after(yield* configured({ command: "s" }), opened, { _tag: "Slept" })
      const woken = ServerState.next(slept, { _tag: "Woken" })
      assert.deepStrictEqual([slept, woken].map(ServerState.isIdle), [true, false])
      assert.deepStrictEqual([slept, woken].map(ServerState.isAsleep), [true, true])
      assert.isTrue(
        ServerState.isIdle(after(slept.entry, opened, { _tag: "Slept" }, { _tag: "Woken" }, { _tag: "Slept" }))
      )
      const ready = ServerState.next(woken, opened)
      assert.strictEqual(ServerState.next(ready, { _tag: "Woken" }), ready)
    }))

  it.effect("takes nothing over from a connection that is gone", () =>
    Effect.gen(function*() {
      const state = after(yield* configured({ command: "s" }), opened)
      const listed = { _tag: "Listed", discovered: NOTHING, diagnostics: ["late"] } as const
      assert.strictEqual(ServerState.next(state, { ...listed, connection: other }), state)
      assert.deepStrictEqual(ServerState.next(state, { ...listed, connection }).diagnostics, ["late"])
      assert.strictEqual(ServerState.next(state, { _tag: "Judged", discovered: NOTHING }), state)
    }))

  it.effect("ends for good when its scope closes, and a stopped server comes back by a start alone", () =>
    Effect.gen(function*() {
      const entry = yield* configured({ command: "s" })
      const closed = after(entry, opened, { _tag: "Closed" })
      const stopped = after(entry, opened, { _tag: "Stopped" })
      for (const event of EVENTS) {
        assert.strictEqual(ServerState.next(closed, event), closed, event._tag)
        const state = ServerState.stateOf(ServerState.next(stopped, event))
        assert.strictEqual(state, event._tag === "Launched" ? "connecting" : "stopped", event._tag)
      }
    }))

  it.effect("needs a sign-in where the reason says so", () =>
    Effect.gen(function*() {
      const entry = yield* configured({ command: "s" })
      const reason = new AuthRequired({ code: 401 })
      const state = after(entry, { _tag: "Lost", reason, steps: null, isTriedAgain: false })
      assert.strictEqual(shown(state), "needs-auth, none")
    }))

  it.effect("follows its entry: another mistake of a broken one is its reason at once", () =>
    Effect.gen(function*() {
      const broken = yield* configured({ command: 7 })
      const worse = yield* configured({ command: "s", timeout: "soon" })
      const entryChanged = (entry: ConfiguredServer) => ({ _tag: "EntryChanged", entry }) as const
      assert.notStrictEqual(
        ServerState.reasonOf(after(broken, entryChanged(worse)))?.message,
        ServerState.reasonOf(ServerState.initial(broken))?.message
      )
      const fine = yield* configured({ command: "s" })
      const moved = { ...fine, source: "elsewhere" }
      assert.strictEqual(after(fine, opened, entryChanged(moved)).entry.source, "elsewhere")
      assert.strictEqual(shown(after(fine, opened, entryChanged(moved))), "ready")
    }))
})
