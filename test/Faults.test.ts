/** Real processes that flood, lie, hang, crash and linger, and what a registry makes of each. */
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"
import { sized } from "./support/Size.ts"
import * as Zoo from "./support/Zoo.ts"

const MB = 1024 * 1024
const WIDE = "héllo 👋🏽 wörld — 日本語 — 🇩🇪"

const millisOf = <A, E>(effect: Effect.Effect<A, E>) => {
  const started = Date.now()
  return Effect.map(effect, (value) => ({ value, millis: Date.now() - started }))
}

const tagOf = (registry: Zoo.Registry, tool: string, args: object, timeout = 60_000) =>
  registry.call(tool, args, { timeout: Duration.millis(timeout) }).pipe(
    Effect.match({ onSuccess: () => "answered", onFailure: ({ reason }) => reason._tag })
  )

const numbered = (count: number, entry: Zoo.Entry): Zoo.Entries =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`it${index}`, entry]))

describe("Framing and memory", Deadline.TEST, () => {
  it.live.each([
    { what: "single bytes", entry: Zoo.entry("SplitMessages") },
    { what: "pieces that split characters", entry: Zoo.entry("SplitMessages", "3") },
    { what: "byte order marks and carriage returns", entry: Zoo.entry("BomCrlf") },
    { what: "every message twice", entry: Zoo.entry("AnswersTwice") },
    { what: "answers to nobody", entry: Zoo.entry("UnknownIds") },
    { what: "binary noise between messages", entry: Zoo.entry("BinaryNoise") },
    { what: "banners, blank lines and other JSON", entry: Zoo.entry("NonJson") }
  ])(
    "$what: calls get their own answers, whole (R38, R39)",
    ({ entry }) =>
      Zoo.withServer(entry, ({ registry }) =>
        Effect.gen(function*() {
          yield* Zoo.isReady(registry)
          const texts = Array.from({ length: 10 }, (_, index) => `${WIDE} ${index}`)
          const answers = yield* Effect.forEach(texts, (text) => Zoo.textOf(registry, "it_echo", { text }), {
            concurrency: "unbounded"
          })
          assert.deepStrictEqual(answers, texts)
        }))
  )

  it.live("skipped lines are one bounded diagnostic (R39)", () =>
    Zoo.withServer(Zoo.entry("BinaryNoise"), ({ registry }) =>
      Effect.gen(function*() {
        for (let index = 0; index < 50; index++) yield* Zoo.textOf(registry, "it_echo")
        const { warnings } = yield* registry.server("it")
        assert.strictEqual(warnings.length, 1)
        assert.isBelow(warnings.join().length, 400)
      })))

  it.live("10 MB of standard error before the start and during a call block nothing (R40)", () =>
    Zoo.withServer(Zoo.entry("StderrFlood"), ({ logged, registry }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* Zoo.textOf(registry, "it_work"), "done")
        assert.deepStrictEqual(logged, [])
      })))

  it.live.each([300, sized(5000, 50_000)])(
    "%d reports of progress right before the answer: it comes after the last of them (R25)",
    (count) =>
      Zoo.withServer(Zoo.entry("ProgressFlood"), ({ registry }) =>
        Effect.gen(function*() {
          const told: Array<number> = []
          const { isError } = yield* registry.call("it_work", { count }, {
            onProgress: ({ progress }) => Effect.sync(() => void told.push(progress))
          })
          assert.isFalse(isError)
          assert.strictEqual(told.at(-1), count)
        }))
  )

  it.live("progress without end is cut at maxTotalTimeout, and the connection serves on (R26, R28)", () =>
    Zoo.withServer(
      { ...Zoo.entry("ProgressFlood"), timeout: "500 millis", maxTotalTimeout: "1500 millis" },
      ({ registry }) =>
        Effect.gen(function*() {
          const { millis, value } = yield* millisOf(Effect.flip(registry.call("it_endless", {})))
          assert.include(value.message, "1500 ms")
          assert.isAtLeast(millis, 1500)
          assert.isBelow(millis, Deadline.late(1500))
          const counters = yield* Zoo.untilCounted(registry, "notifications/cancelled", 1)
          assert.strictEqual(counters["initialize"], 1)
          assert.strictEqual(counters["notifications/cancelled"], 1)
        })
    ))
})

describe("Catalogue", Deadline.TEST, () => {
  it.live("1,000 tools in ten pages are all there (R53)", () =>
    Zoo.withServer(Zoo.entry("ManyTools"), ({ registry }) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* registry.server("it")).tools, 1000)
        assert.strictEqual(yield* Zoo.textOf(registry, "it_tool_0999"), "tool_0999")
      })))

  it.live.each([
    { file: "RepeatingCursor", tools: 2, most: 3 },
    { file: "EmptyCursor", tools: 2, most: 2 },
    { file: "EndlessPages", tools: 101, most: 101 }
  ])(
    "$file: the listing ends, each tool once, with a diagnostic (R54)",
    ({ file, most, tools }) =>
      Zoo.withServer(Zoo.entry(file), ({ registry }) =>
        Effect.gen(function*() {
          const status = yield* Zoo.isReady(registry)
          assert.strictEqual(status.tools, tools)
          assert.deepStrictEqual(status.rejected, [])
          assert.isAtMost((yield* Zoo.countersOf(registry))["tools/list"] ?? 0, most)
          assert.match(status.warnings.join(), /cursor|page/)
        }))
  )

  it.live("no tools declared: none are asked for (R55)", () =>
    Zoo.withServer(Zoo.entry("NoTools"), ({ registry }) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* Zoo.isReady(registry)).tools, 0)
        // It would have ended when it was asked.
        assert.strictEqual((yield* registry.refresh("it")).tools, 0)
        assert.strictEqual((yield* Zoo.isReady(registry)).restarts, 0)
      })))

  it.live("tools declared but tools/list unknown: an empty list, connected (R55)", () =>
    Zoo.withServer(Zoo.entry("ListUnknown"), ({ registry }) =>
      Effect.gen(function*() {
        const status = yield* Zoo.isReady(registry)
        assert.strictEqual(status.tools, 0)
        assert.match(status.warnings.join(), /tools/)
      })))

  it.live("malformed tools cost only themselves, and each is named with the reason (R8)", () =>
    Zoo.withServer(Zoo.entry("MalformedTool"), ({ registry }) =>
      Effect.gen(function*() {
        const status = yield* Zoo.isReady(registry)
        assert.strictEqual(status.tools, 2)
        assert.strictEqual(status.rejected.length, 5, JSON.stringify(status.rejected))
        assert.isTrue(status.rejected.every(({ reason }) => reason.startsWith("malformed: ")))
        assert.strictEqual(yield* Zoo.textOf(registry, "it_echo", { text: "fine" }), "fine")
      })))

  it.live("a burst of 100 list_changed costs two listings; a view that was taken stays; a failed refresh keeps the list (R52)", () =>
    Zoo.withServer(Zoo.entry("ListChangedBurst"), ({ logged, registry }) =>
      Effect.gen(function*() {
        const view = yield* registry.view(undefined)
        yield* registry.call("it_burst", {})
        yield* registry.tool("it_extra_1").pipe(
          Effect.retry(
            Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: `${Deadline.WAIT_MILLIS} millis` }))
          )
        )
        assert.strictEqual(view.tools.length, 3)
        assert.isAtMost((yield* Zoo.countersOf(registry))["tools/list"] ?? 0, 3)
        yield* registry.call("it_spoil", {})
        yield* Zoo.until(() => /kept the old list/.test(logged.join("\n")))
        assert.strictEqual((yield* Zoo.isReady(registry)).tools, 4)
        // One at the start, and two for each burst at most.
        assert.isAtMost((yield* Zoo.countersOf(registry))["tools/list"] ?? 0, 5)
      })))
})

describe("Protocol", Deadline.TEST, () => {
  it.live("what nobody offered is refused within a second, and only what is handled is offered (R56)", () =>
    Zoo.withServer(Zoo.entry("AsksClient"), ({ registry }) =>
      Effect.gen(function*() {
        const asked: ReadonlyArray<{ method: string; code: number | null; millis: number }> = JSON.parse(
          yield* Zoo.textOf(registry, "it_ask")
        )
        for (const { code, method, millis } of asked) {
          assert.strictEqual(code, method === "ping" ? null : -32601, method)
          assert.isBelow(millis, Deadline.late(1000), method)
        }
        assert.strictEqual(yield* Zoo.textOf(registry, "it_capabilities"), "{}")
      })))

  it.live.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "a server of one revision is spoken to as it wishes: %s (R90)",
    (revision) =>
      Zoo.withServer(Zoo.entry("Revision", revision), ({ registry }) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* Zoo.isReady(registry)).protocolVersion, revision)
          assert.strictEqual(yield* Zoo.textOf(registry, "it_echo", { text: "old" }), "old")
        }))
  )

  it.live("a server of the newest revision is spoken to as it wishes: 2026-07-28 (R90, R91)", () =>
    Zoo.withServer(Zoo.entry("Modern"), ({ registry }) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* Zoo.isReady(registry)).protocolVersion, "2026-07-28")
        assert.strictEqual(yield* Zoo.textOf(registry, "it_echo", { text: "new" }), "new")
      })))
})

describe("Calls", Deadline.TEST, () => {
  it.live("ten calls of 300 ms run side by side, and each gets its own answer, out of order (R95)", () =>
    Zoo.withServer(Zoo.entry("OutOfOrder"), ({ registry }) =>
      Effect.gen(function*() {
        const ranks = Array.from({ length: 10 }, (_, rank) => rank)
        const texts = yield* Effect.forEach(
          ranks,
          (rank) => Zoo.textOf(registry, "it_work", { rank, millis: 300 }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(texts, ranks.map((rank) => `rank ${rank}`))
        assert.strictEqual((yield* Zoo.countersOf(registry))["most"], 10)
      })))

  it.live("maxConcurrency is what the server sees, and waiting in the queue is not on the call's time (R96)", () =>
    Zoo.withServer(
      { ...Zoo.entry("OutOfOrder"), maxConcurrency: 3, timeout: "2500 millis" },
      ({ registry }) =>
        Effect.gen(function*() {
          const calls = Array.from({ length: 45 }, () => registry.call("it_work", { millis: 200 }))
          const { millis } = yield* millisOf(Effect.all(calls, { concurrency: "unbounded" }))
          // The last of them waited longer than a call may take.
          assert.isAbove(millis, 2500)
          assert.strictEqual((yield* Zoo.countersOf(registry))["most"], 3)
        })
    ))

  it.live("an interrupted call and one that timed out: one cancellation each, at once, and the late answer is ignored (R29, R30, R107)", () =>
    Zoo.withServer(Zoo.entry("LateAnswer"), ({ registry }) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("it_work", { millis: 3000 }))
        yield* Zoo.untilCounted(registry, "begun", 1)
        yield* Fiber.interrupt(call)
        // Nobody waited for the answer.
        assert.notProperty(yield* Zoo.untilCounted(registry, "cancelled", 1), "answered")
        assert.strictEqual(yield* tagOf(registry, "it_work", { millis: 800 }, 300), "CallTimeout")
        yield* Zoo.untilCounted(registry, "cancelled", 2)
        const counters = yield* Zoo.untilCounted(registry, "answered", 2)
        assert.deepInclude(counters, { answered: 2, cancelled: 2, initialize: 1 })
        const reasons = Object.keys(counters).filter((key) => key.startsWith("reason: "))
        assert.strictEqual(new Set(reasons.map((reason) => reason.replace(/"requestId":\d+/, ""))).size, 1)
      })))

  it.live("a server that stopped reading: calls time out, interruption is not held up, closing is (R107)", () =>
    Effect.gen(function*() {
      const { closeMillis } = yield* Zoo.timed({ it: Zoo.entry("Deaf") }, ({ registry }) =>
        Effect.gen(function*() {
          yield* registry.settled
          yield* registry.call("it_deafen", {})
          const text = "x".repeat(MB)
          // What it still read before it was deaf is answered.
          yield* Effect.repeat(tagOf(registry, "it_echo", { text }, 300), { until: (tag) => tag === "CallTimeout" })
            .pipe(
              Effect.timeout(Deadline.WAIT_MILLIS)
            )
          const call = yield* Effect.forkChild(registry.call("it_echo", { text }))
          yield* Effect.sleep("100 millis")
          // It would be held up for the minute that the call may take.
          assert.isBelow((yield* millisOf(Fiber.interrupt(call))).millis, Deadline.late(200))
        }))
      assert.isBelow(closeMillis, Deadline.late(2000))
    }))

  it.live("progress keeps a slow call alive, silence does not (R25, R28)", () =>
    Zoo.withServer({ ...Zoo.entry("Slow"), timeout: "2 seconds" }, ({ registry }) =>
      Effect.gen(function*() {
        assert.isFalse((yield* registry.call("it_slow", { millis: 2500, every: 100 })).isError)
        assert.strictEqual(yield* tagOf(registry, "it_slow", { millis: 60_000 }, 300), "CallTimeout")
        assert.deepInclude(yield* Zoo.countersOf(registry), { withToken: 2, initialize: 1 })
      })))
})

describe("Death", Deadline.TEST, () => {
  it.live(
    "servers that exit at each step of the protocol never take the host along (R42)",
    () =>
      Effect.gen(function*() {
        const steps = ["start", "discover", "initialize", "initialized", "list", "call", "end"]
        const { calls, states } = yield* Zoo.inHost(
          {
            ...Object.fromEntries(steps.map((step) => [step, Zoo.entry("Exits", step)])),
            input: Zoo.entry("ClosesInput"),
            output: Zoo.entry("ClosesOutput"),
            slow: Zoo.entry("Slow")
          },
          [
            ["input_shut", {}],
            ["output_shut", {}],
            ["call_crash", {}],
            ["call_echo", {}],
            ["slow_slow", { millis: 200 }],
            ["input_echo", {}],
            ["end_echo", {}]
          ]
        )
        assert.deepStrictEqual(calls.map(({ outcome }) => outcome), [
          "result",
          "result",
          "OutcomeUnknown",
          "NotReady",
          "result",
          "OutcomeUnknown",
          "result"
        ])
        assert.deepInclude(states, { start: "failed", initialize: "failed", list: "failed", call: "failed" })
        assert.deepInclude(states, { discover: "ready", end: "ready" })
      })
  )

  it.live.each([
    { how: "crashes in a call", entry: Zoo.entry("Exits", "call"), tool: "crash" },
    { how: "exits while a helper holds its output", entry: Zoo.entry("HelperHoldsOutput"), tool: "leave" },
    { how: "closes its output and lives on", entry: Zoo.entry("ClosesOutput"), tool: "shut" }
  ])(
    "a server that $how is not ready within a second, and an event says so (R6, R45)",
    ({ entry, tool }) =>
      Zoo.withServer(entry, ({ registry }) =>
        Effect.gen(function*() {
          const event = yield* Effect.forkChild(
            Stream.runHead(Stream.filter(registry.events, ({ state }) => state === "failed"))
          )
          yield* Effect.yieldNow
          yield* tagOf(registry, `it_${tool}`, {})
          yield* Zoo.untilState(registry, "failed", Deadline.late(1000))
          yield* Effect.timeout(Fiber.join(event), Deadline.late(1000))
          assert.strictEqual(yield* tagOf(registry, "it_echo", {}), "NotReady")
        }))
  )

  it.live("kill -9 from outside fails what is pending at once (R6, R45)", () =>
    Zoo.withServer(Zoo.entry("LateAnswer"), ({ registry }) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(tagOf(registry, "it_work", { millis: 30_000 }))
        const { pid } = yield* registry.server("it")
        yield* Zoo.untilCounted(registry, "begun", 1)
        process.kill(pid ?? assert.fail("no pid"), "SIGKILL")
        const { millis, value } = yield* millisOf(Fiber.join(call))
        assert.strictEqual(value, "OutcomeUnknown")
        assert.isBelow(millis, Deadline.late(1000))
        const { error } = yield* Zoo.untilState(registry, "failed")
        assert.strictEqual(error?.signal, "SIGKILL")
      })))

  it.live("a server that closed its input: the next call fails at once, and the status does not lie (R6, R45)", () =>
    Zoo.withServer(Zoo.entry("ClosesInput"), ({ registry }) =>
      Effect.gen(function*() {
        yield* registry.call("it_shut", {})
        // A call that arrives before the server closes its input is answered, or lost if the server read it and did not look at it.
        const { millis, value } = yield* millisOf(tagOf(registry, "it_echo", {}, 3000)).pipe(
          Effect.repeat({ until: ({ value }) => value !== "answered" && value !== "CallTimeout" })
        )
        assert.include(["OutcomeUnknown", "NotReady", "ConnectionLost"], value)
        assert.isBelow(millis, Deadline.late(1000))
        yield* Zoo.untilState(registry, "failed")
      })))

  it.live(
    "during an outage starting fails, after it a start works, and nothing of the old one touches the new one (R46)",
    () =>
      Effect.gen(function*() {
        const folder = mkdtempSync(`${tmpdir()}/boocode-zoo-`)
        const { args, command } = Zoo.entry("HelperHoldsOutput")
        const entry = {
          command: "sh",
          args: ["-c", `test -e ${folder}/up || { echo down >&2; exit 3; }; exec "$0" "$@"`, command, ...args]
        }
        yield* Zoo.withServer(entry, ({ mark, registry }) =>
          Effect.gen(function*() {
            assert.include((yield* registry.server("it")).error?.message, "down")
            assert.include((yield* Effect.flip(registry.restart("it"))).message, "down")
            writeFileSync(`${folder}/up`, "")
            const first = yield* registry.restart("it")
            assert.strictEqual(first.state, "ready", first.error?.message)
            yield* Zoo.textOf(registry, "it_leave")
            const second = yield* registry.restart("it")
            assert.notStrictEqual(second.pid, first.pid)
            // The end of the first one comes about now, should it come at all.
            yield* Effect.sleep("800 millis")
            assert.strictEqual((yield* Zoo.isReady(registry)).pid, second.pid)
            assert.strictEqual(yield* Zoo.textOf(registry, "it_echo", { text: "new" }), "new")
            assert.strictEqual(Processes.alive(Zoo.MARK, mark).length, 2)
          }))
        rmSync(folder, { recursive: true })
      })
  )
})

const lingering = {
  "ignores the end and SIGTERM, with a grandchild that does the same": Zoo.entry("Stubborn"),
  "has a grandchild outside its group": Zoo.entry("Stubborn", "--detach"),
  "hides behind sh -c 'node … & wait'": Zoo.wrapped("Stubborn"),
  "leaves a helper that holds its output": Zoo.entry("HelperHoldsOutput"),
  "has a descendant that changed its session twice": Zoo.entry("Escapee")
}

describe("Leaving", Deadline.TEST, () => {
  it.live(
    "whatever a server does to stay, nothing of it is left 6 s after the close began (R1, R43)",
    () =>
      Effect.gen(function*() {
        const entries = [...Object.values(lingering), Zoo.entry("IgnoresEnd", "--deaf-to-signals")]
        const named = Object.fromEntries(entries.map((entry, index) => [`it${index}`, entry]))
        const count = 2 + 2 + 3 + 2 + 2 + 1
        const { closeMillis } = yield* Zoo.timed(named, ({ mark, registry }) =>
          Effect.gen(function*() {
            assert.deepStrictEqual((yield* registry.settled).failed, [])
            // One more lives for a moment: the one between the descendant and its server.
            yield* Zoo.until(() => Processes.alive(Zoo.MARK, mark).length === count)
          }))
        assert.isBelow(closeMillis, Deadline.GONE_MILLIS)
      })
  )

  it.live("the control: the bare SDK leaves at least one process of each of them (R1)", () =>
    Effect.gen(function*() {
      const left = yield* Effect.forEach(Object.entries(lingering), ([habit, entry]) =>
        Effect.map(Zoo.leftByBareSdk(entry), (count) => ({ habit, count })), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        left.filter(({ count }) =>
          count === 0
        ),
        []
      )
    }))

  it.live("eight stubborn servers close side by side within 6 s (R43)", () =>
    Effect.gen(function*() {
      const { closeMillis } = yield* Zoo.timed(
        numbered(8, Zoo.entry("IgnoresEnd", "--deaf-to-signals")),
        ({ registry }) => Effect.map(registry.settled, ({ failed }) => assert.deepStrictEqual(failed, []))
      )
      assert.isBelow(closeMillis, Deadline.GONE_MILLIS)
    }))

  it.live(
    "ten well-behaved servers close within 150 ms, ten times that on a busy machine (R43)",
    () =>
      Effect.gen(function*() {
        const { closeMillis } = yield* Zoo.timed(
          numbered(10, Zoo.entry("UnknownIds")),
          ({ registry }) => Effect.map(registry.settled, ({ failed }) => assert.deepStrictEqual(failed, []))
        )
        assert.isBelow(closeMillis, Deadline.late(150))
      })
  )

  it.live(
    "stop, restart, a failed handshake, a failed listing: the count goes back to where it was (R3)",
    () =>
      Zoo.withRegistry({
        good: Zoo.entry("UnknownIds"),
        list: Zoo.entry("ListFails"),
        silent: { ...Zoo.entry("Silent"), startupTimeout: "800 millis" },
        helper: Zoo.entry("HelperHoldsOutput")
      }, ({ mark, registry }) =>
        Effect.gen(function*() {
          const has = (count: number) => Zoo.until(() => Processes.alive(Zoo.MARK, mark).length === count)
          yield* registry.settled
          yield* Effect.forEach(["list", "silent"], (name) => registry.stop(name), { concurrency: 2 })
          yield* has(3)
          yield* registry.restart("good")
          yield* registry.restart("good")
          yield* has(3)
          yield* registry.stop("good")
          yield* has(2)
          yield* registry.stop("helper")
          yield* has(0)
          yield* registry.start("good")
          yield* has(1)
        }))
  )
})
