import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import * as ServerLog from "../../../../mcp-client/src/host/ServerLog.ts"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

describe("ServerLog", () => {
  it.effect("gives lines in the order they came, each with its number, its time and its kind", () =>
    Effect.gen(function*() {
      const log = ServerLog.make()
      yield* log.append("event", "starting")
      yield* TestClock.adjust("1 second")
      yield* log.append("stderr", "listening")
      assert.deepStrictEqual(yield* log.after(0), [
        { seq: 1, time: "1970-01-01T00:00:00.000Z", kind: "event", level: null, logger: null, text: "starting" },
        { seq: 2, time: "1970-01-01T00:00:01.000Z", kind: "stderr", level: null, logger: null, text: "listening" }
      ])
      assert.deepStrictEqual((yield* log.after(1)).map(({ text }) => text), ["listening"])
      assert.deepStrictEqual(yield* log.after(2), [])
    }))

  const Texts = Schema.Array(Schema.String.check(Schema.isMaxLength(300)))

  it.effect.prop("keeps at most 64 KB whatever comes, the newest lines, without a gap between them", [
    Arbitrary.array(Arbitrary.schema(Texts), { maxLength: 40 })
  ], ([bursts]) =>
    Effect.gen(function*() {
      const log = ServerLog.make()
      const all = bursts.flat()
      for (const [index, text] of all.entries()) yield* log.append("stderr", index % 5 === 0 ? text.repeat(300) : text)
      const kept = yield* log.after(0)
      assert.isAtMost(kept.reduce((sum, { text }) => sum + text.length, 0), ServerLog.KEPT)
      assert.deepStrictEqual(kept.map(({ seq }) => seq), kept.map((_, index) => all.length - kept.length + index + 1))
      assert.isTrue(all.length === 0 || kept.length > 0)
    }))

  it.effect("is bounded when a server writes nothing but empty lines", () =>
    Effect.gen(function*() {
      const log = ServerLog.make()
      for (let count = 0; count < 10_000; count++) yield* log.append("stderr", "")
      const kept = yield* log.after(0)
      assert.isAtMost(kept.length, 1024)
      assert.strictEqual(kept.at(-1)?.seq, 10_000)
    }))

  it.effect("keeps what became of a server however much it sends as log messages, all in order", () =>
    Effect.gen(function*() {
      const log = ServerLog.make()
      yield* log.append("event", "starting")
      for (let count = 0; count < 1000; count++) {
        log.appendMessage({ level: "info", logger: null, text: "x".repeat(1000) }, 0)
      }
      yield* log.append("event", "stopped")
      const kept = yield* log.after(0)
      assert.deepStrictEqual([kept[0]?.text, kept.at(-1)?.text], ["starting", "stopped"])
      assert.isAtMost(kept.reduce((sum, { text }) => sum + text.length, 0), 2 * ServerLog.KEPT)
      assert.deepStrictEqual(
        kept.slice(1).map(({ seq }) => seq),
        kept.slice(1).map((_, index) => 1004 - kept.length + index)
      )
    }))

  it.effect("keeps nothing for who works for no server", () =>
    Effect.gen(function*() {
      yield* ServerLog.event("nobody reads this")
      assert.deepStrictEqual(yield* Effect.flatMap(ServerLog.Current, ({ after }) => after(0)), [])
    }))
})

describe("the log of a registry", () => {
  const SECRET = "canary-4711-value"
  const KEY = "-----BEGIN KEY-----\nMIIcanaryMII\n-----END KEY-----"

  const withServer = <A, E>(
    entry: Readonly<Record<string, unknown>>,
    body: (
      lines: Effect.Effect<ReadonlyArray<string>>,
      registry: McpRegistry["Service"],
      host: ScriptedHost.Host
    ) => Effect.Effect<A, E>
  ) =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {}, boom: { exitsAtOnce: { code: 3, stderr: "no licence" } } })
      return yield* McpRegistry.use((registry) =>
        body(
          Effect.map(Effect.orDie(registry.log("s")), (lines) => lines.map(({ kind, text }) => `${kind} ${text}`)),
          registry,
          host
        )
      ).pipe(Effect.provide(host.layer({ s: { command: "server", ...entry } })))
    })

  it.effect("tells what became of a server and what it wrote, across its restarts", () =>
    withServer({}, (lines, registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        host.running[0]?.complain("one line\nhalf a ")
        host.running[0]?.complain("line\nno newline at the end")
        yield* ScriptedHost.drain
        yield* registry.restart("s")
        assert.deepStrictEqual(yield* lines, [
          "event starting",
          "event ready, 1 tools, 0 rejected, 0 ms",
          "stderr one line",
          "stderr half a line",
          "stderr no newline at the end",
          "event stopped",
          "event starting",
          "event ready, 1 tools, 0 rejected, 0 ms"
        ])
        assert.deepStrictEqual((yield* registry.log("s", 7)).map(({ seq }) => seq), [8])
      })))

  it.effect("says why a server failed and when it is tried again", () =>
    withServer({ command: "boom" }, (lines) =>
      Effect.gen(function*() {
        yield* ScriptedHost.advance(2)
        const text = (yield* lines).join("\n")
        assert.match(text, /^event starting\n(stderr no licence\n)+event failed: the server exited with code 3/)
        assert.match(text, /event trying again in \d+ ms\nevent starting\n/)
      })))

  it.effect("shows no configured secret, also not one of several lines (R75, Decision 15)", () =>
    withServer({ env: { TOKEN: SECRET, KEY } }, (lines, registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        host.running[0]?.complain(`token ${SECRET}\n${KEY}\n`)
        yield* ScriptedHost.drain
        const text = (yield* lines).join("\n")
        assert.include(text, "stderr token <redacted>")
        assert.notInclude(text, "canary")
      })))

  it.effect("knows no log of a server that nobody configured", () =>
    withServer({}, (_, registry) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(registry.log("S"))
        assert.deepInclude(error.reason, { _tag: "UnknownServer", nearest: ["s"] })
      })))
})
