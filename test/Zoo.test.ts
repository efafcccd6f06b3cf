/** One bad server among good ones, and what is said about each kind of bad one. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { randomUUID } from "node:crypto"
import { chmodSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"
import { sized } from "./support/Size.ts"
import * as Zoo from "./support/Zoo.ts"

/** Of all a host has, servers inherit the variables of the locale; so this reaches each of the tour. */
const MARK = "LC_BOOCODE_ZOO"

/** What stands before a server's own words, of which 300 characters are shown. A slow start adds them to any error. */
const LAST_WORDS = "; it last wrote to standard error: "

/** What the Node of the machine says in the tour, where it might be one that cannot run TypeScript. */
const OTHER_NODE = "this is the Node of the machine"

const GOOD = sized(7, 27)

const good = (count: number): Zoo.Entries =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`good${index + 1}`, Zoo.entry("UnknownIds")]))

const bad: Zoo.Entries = {
  silent: { ...Zoo.entry("Silent"), startupTimeout: "20 seconds" },
  boom: Zoo.entry("Exits", "start"),
  absent: { command: "boocode-no-such-server" },
  garbage: { ...Zoo.entry("Garbage"), startupTimeout: "20 seconds" },
  flood: Zoo.entry("StderrFlood")
}

/** The exit code of one of many that start at once may come too late to be told. */
const ENDS: ReadonlySet<string> = new Set(["Exited", "ConnectionLost"])

/** The tools of these servers, once all are there. */
const toolsOf = (registry: Zoo.Registry, names: ReadonlyArray<string>) =>
  Effect.map(registry.tools, (tools) => names.filter((name) => tools.some(({ server }) => server === name))).pipe(
    Effect.filterOrFail(({ length }) => length === names.length, ({ length }) => `${length} servers`),
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: `${Deadline.WAIT_MILLIS} millis` })))
  )

/** What is said about a server that failed. */
const failureOf = (entry: Zoo.Entry) =>
  Zoo.withServer(entry, ({ logged, registry }) =>
    Effect.gen(function*() {
      const { error, state } = yield* registry.server("it")
      assert.strictEqual(state, "failed")
      if (error === null) return assert.fail("failed without an error")
      assert.isNotEmpty(error.hint)
      // The line comes right after the change of state.
      yield* Zoo.until(() => logged.length > 0)
      assert.deepStrictEqual(logged, [`it: ${error.message}`])
      return error
    }))

/** The file of the tour; unless `pnpm test:long` asks, a copy with one entry of each program that is not busy all the time. */
const tour = Effect.gen(function*() {
  const folder = `${Command.CHECKOUT}test/servers`
  const file = `${folder}/zoo.json`
  const all: Zoo.Entries = JSON.parse(readFileSync(file, "utf8")).mcpServers
  const seen = new Set<string>()
  const few = Object.entries(all).filter(([name, { args }]) => {
    const [program = ""] = Array.isArray(args) ? args : []
    const kind = String(program).endsWith(".ts") ? program : name
    if (BUSY.test(name) || seen.has(kind)) return false
    return seen.add(kind)
  })
  const copied = few.map(([name, entry]) => [name, { ...entry, cwd: join(folder, String(entry["cwd"] ?? ".")) }])
  const copy = yield* Command.folder({ "zoo.json": JSON.stringify({ mcpServers: Object.fromEntries(copied) }) })
  return sized(
    { file: join(copy, "zoo.json"), names: few.map(([name]) => name) },
    { file, names: Object.keys(all) }
  )
})

/** Each has a test of its own, here or in `Floods.test.ts` and `Faults.test.ts`. */
const BUSY = /torrent|flood|storm|endless|64-mb/

describe("Zoo", Deadline.TEST, () => {
  it.live(
    "of many servers the good ones are usable as soon as they answered, and settled keeps to startupTimeout (R7, R16)",
    () =>
      Zoo.withRegistry({ ...good(GOOD), ...bad }, ({ registry }) =>
        Effect.gen(function*() {
          const started = Date.now()
          const names = Object.keys(good(GOOD))
          assert.strictEqual((yield* registry.servers).length, GOOD + Object.keys(bad).length)
          assert.isBelow(Date.now() - started, Deadline.late(1000))
          yield* toolsOf(registry, names)
          assert.strictEqual(yield* Zoo.textOf(registry, "good7_echo", { text: "here" }), "here")
          assert.strictEqual((yield* registry.server("silent")).state, "connecting")
          const { connected, failed } = yield* registry.settled
          assert.isBelow(Date.now() - started, 20_000 + Deadline.late(3000))
          assert.deepStrictEqual(connected.map(({ name }) => name).sort(), [...names, "flood"].sort())
          assert.deepStrictEqual(
            failed.map(({ reason, server }) => [server, ENDS.has(reason._tag) ? "ended" : reason._tag]).sort(),
            [
              ["absent", "CommandNotFound"],
              ["boom", "ended"],
              ["garbage", "HandshakeTimeout"],
              ["silent", "HandshakeTimeout"]
            ]
          )
        }))
  )

  it.live("eight servers initialize side by side, however long each takes (R17)", () =>
    Effect.gen(function*() {
      const folder = yield* Command.folder({})
      // None of them answers before all are asked.
      const entry = { ...Zoo.entry("Late", "--together", "8", folder), startupTimeout: "1 minute" }
      const entries = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`late${index}`, entry]))
      yield* Zoo.withRegistry(entries, ({ registry }) =>
        Effect.map(registry.settled, ({ failed }) => assert.deepStrictEqual(failed, [])))
    }))

  it.live("a command that is nowhere: names it and what was searched (R40, R69)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf({ command: "boocode-no-such-server" })
      assert.strictEqual(error._tag, "CommandNotFound")
      assert.include(error.message, "boocode-no-such-server")
      assert.include(error.message, (process.env["PATH"] ?? "").split(":")[0] ?? "")
    }))

  it.live("a command with its arguments in it: where they belong (R69)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf({ command: "node Echo.ts" })
      assert.strictEqual(error._tag, "CommandNotFound")
      assert.match(error.hint, /"args"/)
    }))

  it.live("a relative path where nothing is: names the folder (R69)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf({ command: "./nowhere", cwd: "/tmp" })
      assert.include(error.message, "./nowhere (there is no such file in /tmp)")
    }))

  it.live("a path where nothing is: does not speak of an empty PATH (R69)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf({ command: "/opt/nowhere/server" })
      assert.strictEqual(error._tag, "CommandNotFound")
      assert.include(error.message, "/opt/nowhere/server")
      assert.notInclude(error.message, "PATH is empty")
    }))

  it.live("a file that may not be executed: says so in words (R69)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf({ command: FixtureServer.file("Echo") })
      assert.strictEqual(error._tag, "SpawnFailed")
      assert.match(error.message, /permission denied/i)
      assert.notInclude(error.message, "PermissionDenied")
    }))

  it.live.each([
    { at: "start", during: /start|initialize|discover/ },
    { at: "initialize", during: /initialize/ },
    { at: "initialized", during: /initialize|tools\/list/ },
    { at: "list", during: /tools\/list/ }
  ])(
    "a server that exits at $at: exit code, last words, step and time (R40, R42)",
    ({ at, during }) =>
      Effect.gen(function*() {
        const error = yield* failureOf(Zoo.entry("Exits", at))
        assert.strictEqual(error._tag, "Exited", error.message)
        assert.strictEqual(error.exitCode, 3)
        assert.include(error.message, "code 3")
        assert.include(error.message, `boom: exits at ${at}`)
        assert.match(error.message, during)
        assert.match(error.message, /\d m?s\b/)
      })
  )

  it.live("a server that a signal ends: names the signal (R40)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf({ command: "sh", args: ["-c", "kill -KILL $$"] })
      assert.strictEqual(error.signal, "SIGKILL")
      assert.include(error.message, "SIGKILL")
    }))

  it.live("a program that prints how it is to be called and ends: what it printed, and what that may mean (R40)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf({ command: "sh", args: ["-c", "echo 'Usage: server --stdio'"] })
      assert.match(error.message, /exited with code 0 after .*Usage: server --stdio/)
      assert.match(error.hint, /--stdio/)
    }))

  it.live("a shell that finds no such command: its words (R40)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf({ command: "sh", args: ["-c", "boocode-no-such-server 2>/dev/null"] })
      assert.match(error.message, /exited with code 127 after .* it wrote nothing$/)
      assert.match(error.hint, /no such command/)
    }))

  it.live("a server that cannot read what it is sent: its words, and what to try (R40)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf({ ...Zoo.entry("CannotRead"), startupTimeout: "2 seconds" })
      assert.strictEqual(error._tag, "HandshakeTimeout")
      assert.match(error.message, /could not read .* of ours.*: Parse error: expected a header \(-32700\)/)
      assert.match(error.hint, /"protocol": "legacy"/)
    }))

  it.live.each([
    {
      what: "nobody listens",
      url: "http://127.0.0.1:59999/mcp",
      words: /nobody listens there: 127\.0\.0\.1 port 59999/
    },
    {
      what: "no host is",
      url: "http://nowhere.invalid/mcp",
      words: /there is no such host: nowhere\.invalid|looked up/
    }
  ])(
    "a url where $what: says that there never was a connection, and what to check (R40)",
    ({ url, words }) =>
      Effect.gen(function*() {
        const error = yield* failureOf({ url })
        assert.match(error.message, /^could not connect: /)
        assert.match(error.message, words)
        assert.match(error.hint, /check/)
      })
  )

  it.live("a server that never answers: the step, the limit and its last words (R40)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf({ ...Zoo.entry("Silent"), startupTimeout: "1 second", protocol: "legacy" })
      assert.deepStrictEqual([error._tag, error.method, error.limitMillis], ["HandshakeTimeout", "initialize", 1000])
      assert.include(error.message, "1 s")
      assert.include(error.message, "all you will hear")
    }))

  it.live.each([
    { what: "garbage", entry: Zoo.entry("Garbage") },
    { what: "a line without end", entry: Zoo.entry("EndlessLine", "--start") }
  ])("a server that writes $what: says that it wrote, and what (R39, R40)", ({ entry }) =>
    Effect.gen(function*() {
      const error = yield* failureOf({ ...entry, startupTimeout: "1 second" })
      assert.match(error.message, /lines?\b.* (no messages|no message|end)|bytes/)
    }))

  it.live("a revision that nobody knows: both sides, and no advice that cannot help (R90)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf(Zoo.entry("Revision", "1999-12-31"))
      assert.strictEqual(error._tag, "ProtocolMismatch")
      assert.include(error.message, "1999-12-31")
      assert.include(error.message, "2025-11-25")
      assert.notInclude(error.hint, "legacy")
    }))

  it.live("a list that fails: the server's own words and code, and nothing is left running (R3, R40)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf(Zoo.entry("ListFails"))
      assert.deepStrictEqual([error._tag, error.code], ["ListFailed", -32603])
      assert.include(error.message, "db.internal:5432")
    }))

  it.live("a list of 64 MB: the limit and the key that raises it (R37)", () =>
    Effect.gen(function*() {
      const error = yield* failureOf(Zoo.entry("BigMessage", "--list"))
      assert.include(error.message, "16777216")
      assert.include(error.hint, "maxMessageBytes")
    }))

  it.live(
    "a server that says nothing to methods it does not know is ready within its startupTimeout (R18, R91)",
    () =>
      Zoo.withServer(
        { ...Zoo.entry("IgnoresUnknown"), startupTimeout: "4 seconds" },
        ({ registry }) => Zoo.isReady(registry)
      )
  )

  it.live(
    "the tour: the servers of zoo.json run on the Node of the checkout, each failed one has a hint, and nothing is left",
    () =>
      Effect.gen(function*() {
        const { file, names } = yield* tour
        const mark = randomUUID()
        const machine = yield* Command.folder({ node: `#!/bin/sh\necho "${OTHER_NODE}" >&2; exit 1\n` })
        chmodSync(join(machine, "node"), 0o755)
        const PATH = `${machine}:${process.env["PATH"]}`
        const { code, stdout } = yield* Command.run(["mcp", "list", "--json", "--config", file], {
          cwd: Command.CHECKOUT,
          env: { PATH, [MARK]: mark }
        })
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
        const { servers } = JSON.parse(stdout)
        assert.deepStrictEqual(servers.map(({ name }: { name: string }) => name), names.sort())
        // On a busy machine a good one may only be too slow.
        const good = servers.find(({ name }: { name: string }) => name === "ignores-unknown-methods")
        assert.isTrue(good.state === "ready" || good.error.limitMillis !== null, JSON.stringify(good.error))
        for (const { error, name, state } of servers) {
          assert.notInclude(error?.message ?? "", OTHER_NODE, name)
          if (state === "ready") assert.isNull(error, name)
          else {
            assert.isAbove(error.hint.length, 10, name)
            // One line each, that a terminal can show.
            assert.notMatch(error.message, /[\n\ufffd]/, name)
            const [words = "", theirs = ""] = error.message.replace(/\(searched .*\)/, "").split(LAST_WORDS)
            assert.isBelow(words.length, 400, name)
            assert.isAtMost(theirs.length, 300 + "… | … | …".length, name)
          }
        }
      })
  )
})
