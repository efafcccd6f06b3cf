/** Servers that send without end: what they cost the host, measured from outside. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Deadline from "./support/Deadline.ts"
import * as Zoo from "./support/Zoo.ts"

const MB = 1024 * 1024
/** Garbage may add so many MB before the engine collects it, after two seconds and after ten. */
const SLACK = 250

const waitFor = (millis: number) => ["slow_slow", { millis }] as const
/** How long lists change; requests are counted. */
const STORM = "10 seconds"

const echoes = Array.from({ length: 10 }, () => ["it_echo", { text: "x" }] as const)
const slow = Zoo.entry("Slow")

/** The servers of the HTTP zoo, until the scope closes. */
const httpZoo = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { args, command } = Zoo.entry("HttpZoo")
      const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
      const [ports] = await once(child.stdout, "data")
      return { child, port: String(ports).split(" ")[0] }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  ),
  ({ port }) => (path: string) => ({ url: `http://127.0.0.1:${port}/${path}`, protocol: "legacy" })
)

/** How many connections there were at once at most to the server of such an entry. */
const mostSockets = ({ url }: { readonly url: string }) =>
  Effect.promise(async (): Promise<unknown> => {
    const response = await fetch(new URL("/counters", url))
    return Reflect.get(Object(await response.json()), "mostSockets")
  })

describe("Floods", Deadline.TEST, () => {
  it.live("64 MB arrive in linear time when the cap is raised (R37)", () =>
    Effect.gen(function*() {
      const sizes = [16, 64, 16, 64].map((size) => size * MB)
      const { calls, rssBefore, rssPeak } = yield* Zoo.inHost(
        { it: { ...Zoo.entry("BigMessage"), maxMessageBytes: 80 * MB } },
        sizes.map((bytes) => ["it_big", { bytes }])
      )
      assert.deepStrictEqual(calls.map(({ length }) => length), sizes)
      // The host's own work, to which other programs do not add.
      const best = (size: number) =>
        Math.min(...calls.filter(({ length }) => length === size * MB).map(({ cpuMillis }) => cpuMillis))
      assert.isBelow(best(64), 3000)
      assert.isBelow(best(64) / best(16), 8, JSON.stringify(calls))
      assert.isBelow(rssPeak - rssBefore, 4 * 80 + SLACK, "MB more than before")
    }))

  it.live("above the cap only that call fails, and memory stays where it was (R37)", () =>
    Effect.gen(function*() {
      const big: readonly [string, object] = ["it_big", { bytes: 64 * MB }]
      const { calls, rssBefore, rssPeak, states } = yield* Zoo.inHost(
        { it: { ...Zoo.entry("BigMessage"), maxMessageBytes: MB } },
        [big, ["it_echo", { text: "still" }], big, big, ["it_echo", { text: "there" }]]
      )
      assert.deepStrictEqual(calls.map(({ outcome }) => outcome), [
        "MessageTooLarge",
        "result",
        "MessageTooLarge",
        "MessageTooLarge",
        "result"
      ])
      assert.deepStrictEqual(states, { it: "ready" })
      assert.isBelow(rssPeak - rssBefore, SLACK, "MB more than before")
    }))

  it.live(
    "a line without end is dropped beyond its bound, and costs nothing from then on (R37)",
    () =>
      Effect.gen(function*() {
        const { calls, rssBefore, rssPeak, stalledMillis, states } = yield* Zoo.inHost(
          { it: { ...Zoo.entry("EndlessLine"), maxMessageBytes: MB }, slow },
          [["it_endless", {}], waitFor(1000), waitFor(3000)]
        )
        const [endless, , after] = calls
        assert.strictEqual(endless?.outcome, "OutcomeUnknown")
        assert.deepStrictEqual(states, { it: "failed", slow: "ready" })
        assert.isBelow(after?.cpuMillis ?? Infinity, 300)
        assert.isBelow(rssPeak - rssBefore, SLACK, "MB more than before")
        assert.isBelow(stalledMillis, Deadline.late(1000))
      })
  )

  it.live.each([
    { what: "10,000 notifications a second", entry: Zoo.entry("NotificationFlood") },
    { what: "notifications as fast as they are read", entry: Zoo.entry("Torrent") },
    { what: "lines that are no messages as fast as they are read", entry: Zoo.entry("Torrent", "--junk") }
  ])(
    "$what: bounded memory and time, and calls are answered all the while (R37)",
    ({ entry }) =>
      Effect.gen(function*() {
        const { calls, rssBefore, rssPeak, stalledMillis } = yield* Zoo.inHost(
          { it: entry, slow },
          [waitFor(10_000), waitFor(3000), ...echoes]
        )
        assert.isTrue(calls.every(({ outcome }) => outcome === "result"))
        // What came at any speed is behind by now.
        assert.isBelow(calls[1]?.cpuMillis ?? Infinity, 1500)
        assert.isBelow(Math.max(...calls.slice(2).map(({ millis }) => millis)), Deadline.late(1000))
        assert.isBelow(rssPeak - rssBefore, SLACK, "MB more than before")
        assert.isBelow(stalledMillis, Deadline.late(1000))
      })
  )

  it.live(
    "200,000 reports of progress in one call: bounded memory, and time in proportion (R25, R37)",
    () =>
      Effect.gen(function*() {
        const { calls, rssBefore, rssPeak, stalledMillis } = yield* Zoo.inHost(
          { it: Zoo.entry("ProgressFlood"), slow },
          [["it_work", { count: 20_000 }], ["it_work", { count: 200_000 }]]
        )
        assert.isTrue(calls.every(({ outcome }) => outcome === "result"))
        assert.isBelow(calls[1]?.cpuMillis ?? Infinity, 20 * (calls[0]?.cpuMillis ?? 0) + 500)
        assert.isBelow(rssPeak - rssBefore, SLACK, "MB more than before")
        assert.isBelow(stalledMillis, Deadline.late(1000))
      })
  )

  // Requests are counted, so that both may have their time at once.
  describe.concurrent("A storm", () => {
    it.live.each([{ what: "is said to change", args: [] }, { what: "changes", args: ["--news"] }])(
      "a list that $what 1,000 times a second is asked for a few times (R52)",
      ({ args }) =>
        Zoo.withServer(Zoo.entry("ListChangedStorm", ...args), ({ registry }) =>
          Effect.gen(function*() {
            yield* Zoo.isReady(registry)
            yield* Effect.sleep(STORM)
            const { "tools/list": lists } = yield* Zoo.countersOf(registry)
            assert.isAtMost(lists ?? Infinity, 1 + 16)
          }))
    )
  })

  it.live("pages without end, of 5 MB each: a few requests and bounded memory (R54)", () =>
    Effect.gen(function*() {
      const { rssPeakAtStart, states } = yield* Zoo.inHost(
        { it: Zoo.entry("EndlessPages", String(5 * MB)) },
        [["it_counters", {}]]
      )
      assert.deepStrictEqual(states, { it: "ready" })
      assert.isBelow(rssPeakAtStart, 150 + 4 * 32 + SLACK)
    }))

  it.live(
    "100,000 pings over HTTP: a few connections, and the neighbours are answered all the while",
    () =>
      Effect.gen(function*() {
        const it = (yield* httpZoo)("ping-flood")
        const { calls, rssBefore, rssPeak, stalledMillis } = yield* Zoo.inHost(
          { it, other: (yield* httpZoo)("none"), slow },
          [waitFor(1500), ...echoes, ...echoes.map(() => ["other_echo", { text: "x" }] as const)]
        )
        assert.isTrue(calls.every(({ outcome }) => outcome === "result"))
        assert.isBelow(Math.max(...calls.slice(1).map(({ millis }) => millis)), 1000)
        assert.isBelow(calls[0]?.cpuMillis ?? Infinity, 2000)
        assert.isBelow(Number(yield* mostSockets(it)), 30)
        assert.isBelow(rssPeak - rssBefore, SLACK, "MB more than before")
        assert.isBelow(stalledMillis, 1000)
      }),
    60_000
  )

  it.live.each(["huge-json", "huge-event"])(
    "64 MB over HTTP as %s cost no more memory than a few times the cap (R37)",
    (habit) =>
      Effect.gen(function*() {
        const entry = yield* httpZoo
        const sizes = [8, 64]
        const { calls, rssBefore, rssPeak } = yield* Zoo.inHost(
          { it: { ...entry(habit), maxMessageBytes: 80 * MB } },
          sizes.map((megabytes) => ["it_echo", { megabytes }])
        )
        assert.deepStrictEqual(calls.map(({ length }) => length), sizes.map((megabytes) => megabytes * MB))
        assert.isBelow(rssPeak - rssBefore, 8 * 80 + SLACK, "MB more than before")
      })
  )
})
