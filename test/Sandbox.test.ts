/** Programs of models in real threads: what they can do, and what the hostile ones cannot. */
import * as NodeSandbox from "@boocode/mcp-node/NodeSandbox"
import { type CallAnswer, type Program, type ProgramLimits, type ProgramOutcome, Sandbox } from "@boocode/toolkit/code"
import { assert, layer } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Installation from "../apps/chat-server/src/settings/Installation.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"

const sandbox = layer(NodeSandbox.layer(Installation.sandbox), { excludeTestServices: true })

const FUNCTIONS = ["add", "echo", "fail", "slow"].map((tool) => ({ server: "calc", tool, name: `calc_${tool}` }))

const answer = (name: string, args: Schema.JsonObject): Effect.Effect<CallAnswer> => {
  if (name === "calc_fail") return Effect.succeed({ error: String(args["says"] ?? "there is no such number") })
  if (name === "calc_slow") return Effect.never
  return Effect.succeed({ value: name === "calc_add" ? Number(args["a"]) + Number(args["b"]) : args["value"] ?? null })
}

const run = (source: string, more: Partial<Program> = {}) =>
  Sandbox.use((sandbox) =>
    sandbox.run({
      source,
      functions: FUNCTIONS,
      describe: (name) => Effect.succeed(`about ${name}`),
      call: ({ args, name }) => answer(name, args),
      ...more
    })
  )

/** A busy machine computes less in the same time, so only what is to end by it has little. */
const limitsOf = (kind: string | RegExp): Partial<ProgramLimits> => ({
  computeMillis: String(kind).includes("compute") ? 150 : 120_000,
  memoryBytes: 24_000_000,
  graceMillis: 100
})

const HOST = { program: "test/support/SnapshotHost.ts" }

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-sandbox-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const until = (isSo: () => boolean) =>
  Effect.sync(isSo).pipe(
    Effect.repeat({ until: (so) => so, schedule: Schedule.spaced(20) }),
    Effect.timeout(Deadline.WAIT_MILLIS)
  )

/** What is seldom in a value. */
const ODD: Schema.JsonObject = {
  ...JSON.parse("{\"__proto__\":{\"isAdmin\":true},\"constructor\":{\"prototype\":{\"isAdmin\":true}}}"),
  numbers: [-0, 1e21, 5e-324, Number.MAX_SAFE_INTEGER, -1.7976931348623157e308, 0.1],
  texts: ["\ud800", "a\udc00b", "\u0000", "\u2028", "\u{1f600}", "", "\"\\"],
  "": { then: "no promise", toJSON: null, length: 3 },
  empty: [[], {}, null, false]
}

/** The hostile ones, and how each ends. */
const HOSTILE: ReadonlyArray<readonly [name: string, source: string, kind: string | RegExp]> = [
  ["a loop", "while (true) {}", "compute"],
  ["a loop after an answer", "await calc.add({ a: 1, b: 1 })\nfor (;;) {}", "compute"],
  ["a loop of microtasks", "while (true) await null", "compute"],
  ["a loop that catches its own end", "try { for (;;) {} } catch { return 'I live' }", "compute"],
  ["a loop in its own finally", "try { for (;;) {} } finally { for (;;) {} }", "compute"],
  [
    "a loop that another one catches",
    "await (async () => { for (;;) {} })().catch(() => 0)\nreturn 'I live'",
    "compute"
  ],
  ["an evil pattern", "return /^(a+)+$/.test('a'.repeat(40) + '!')", "compute"],
  [
    "a comparison without end",
    "return Array.from({ length: 1e5 }, (_, i) => -i).sort(() => { for (;;) {} })",
    "compute"
  ],
  ["getters in arguments", "await calc.echo({ get value() { for (;;) {} } })", "compute"],
  ["a proxy as arguments", "await calc.echo(new Proxy({}, { ownKeys() { for (;;) {} } }))", "compute"],
  ["an error whose message has no end", "throw { toString() { for (;;) {} }, toJSON() { for (;;) {} } }", "compute"],
  ["a thousand megabytes of numbers", "const all = []\nfor (;;) all.push(new Uint8Array(10_000_000))", "memory"],
  ["an array of a thousand megabytes", "return new Array(1e8).fill(0)", "memory"],
  ["a flood of promises", "globalThis.all = []\nfor (;;) all.push(new Promise(() => {}))", "memory"],
  ["a string that doubles", "let text = 'x'\nfor (;;) text += text", /^(memory|threw)$/],
  ["a string of a gigabyte", "return 'x'.repeat(2 ** 29)", "memory"],
  ["a recursion", "const down = (n) => 1 + down(n + 1)\nreturn down(0)", "stack"],
  ["a recursion in a microtask", "await null\nconst down = (n) => 1 + down(n + 1)\nreturn down(0)", "stack"],
  [
    "arguments a hundred thousand levels deep",
    "let x = {}\nfor (let i = 0; i < 1e5; i++) x = { x }\nreturn await calc.echo(x)",
    /^(stack|threw)$/
  ],
  ["a source of fifty thousand brackets", `return ${"(".repeat(50_000)}`, "syntax"],
  ["a flood of calls", "for (;;) await calc.add({ a: 1, b: 1 })", "calls"],
  [
    "a flood of calls at once",
    "await Promise.all(Array.from({ length: 1e6 }, () => calc.add({ a: 1, b: 1 })))",
    /^(calls|memory)$/
  ],
  ["a flood of calls that nobody awaits", "for (;;) calc.add({ a: 1, b: 1 }).catch(() => {})", /^(compute|memory)$/],
  ["a flood of questions", "for (;;) await boo.describe('x')", "calls"],
  ["a flood of lines", "for (;;) console.log('x'.repeat(1000))", "compute"],
  ["a value of ten megabytes", "return 'x'.repeat(10_000_000)", "output"],
  ["arguments of ten megabytes", "await calc.echo({ value: 'x'.repeat(10_000_000) })", "threw"],
  ["a promise that nothing settles", "await new Promise(() => {})", "stalled"],
  ["process, by a constructor", "return calc.add.constructor('return process')()", "threw"],
  ["a module, by import", "return await import('node:fs')", "threw"]
]

sandbox("A sandbox", (it) => {
  it.effect("runs a program, with its calls, its console and its value", () =>
    Effect.gen(function*() {
      const shown: Array<string> = []
      const outcome = yield* run(
        [
          "interface Sum { a: number; b: number }",
          "const sum = (given: Sum): Promise<number> => calc.add(given)",
          "const all = await Promise.all([1, 2, 3].map((a) => sum({ a, b: 10 } satisfies Sum)))",
          "console.log('all', all, await tools['calc_echo']({ value: null }))",
          "return { all, about: await boo.describe('calc_add') }"
        ].join("\n"),
        { onConsole: (line) => Effect.sync(() => shown.push(line)) }
      )
      assert.deepStrictEqual(outcome.value, { all: [11, 12, 13], about: "about calc_add" })
      assert.deepStrictEqual([outcome.console, shown], [["all [11,12,13] null"], ["all [11,12,13] null"]])
      assert.isNull(outcome.error)
      assert.deepStrictEqual(
        outcome.calls.map(({ id, line, name, outcome }) => [id, line, name, outcome]),
        [[1, 2, "calc_add", "done"], [2, 2, "calc_add", "done"], [3, 2, "calc_add", "done"], [
          4,
          4,
          "calc_echo",
          "done"
        ]]
      )
    }))

  it.effect("lets other programs go on beside each hostile one, and says how it ended", () =>
    Effect.gen(function*() {
      for (const [name, source, kind] of HOSTILE) {
        const hostile = yield* Effect.forkChild(run(source, { limits: limitsOf(kind) }))
        const beside = yield* run("return await calc.add({ a: 1, b: 2 })")
        assert.strictEqual(beside.value, 3, name)
        const { calls, error, value } = yield* Fiber.join(hostile)
        assert.isUndefined(value, name)
        assert.match(
          error?.kind ?? "none",
          typeof kind === "string" ? new RegExp(`^${kind}$`) : kind,
          `${name}: ${error?.message}`
        )
        assert.isAtMost(calls.length, 200, name)
      }
    }))

  it.effect("says where a program failed: its line, the text of it, and the tool", () =>
    Effect.gen(function*() {
      const at = (source: string, more: Partial<Program> = {}) =>
        Effect.map(
          run(source, more),
          ({ error }) => [error?.kind, error?.message, error?.line, error?.text, error?.during]
        )
      assert.deepStrictEqual(yield* at("const x: { y?: any } = {}\n\n  return x.y.z as string"), [
        "threw",
        "TypeError: cannot read property 'z' of undefined",
        3,
        "return x.y.z as string",
        null
      ])
      assert.deepStrictEqual(yield* at("const wanted = 3\nconst sum = await calc\n  .fail({ wanted })"), [
        "threw",
        "calc_fail: there is no such number",
        3,
        ".fail({ wanted })",
        "calc_fail"
      ])
      const [, named] = yield* at("await calc.fail({ says: 'calc_fail (of calc) failed' })")
      assert.strictEqual(named, "calc_fail (of calc) failed", "which names it once")
      assert.deepStrictEqual(yield* at("let a: number = 1\nlet b = = 2"), [
        "syntax",
        "SyntaxError: Expression expected",
        2,
        "let b = = 2",
        null
      ])
      assert.deepStrictEqual(yield* at("await null\nenum Colour { Red }"), [
        "syntax",
        "TypeScript enum cannot be used: types are taken out and nothing is translated. Write it in JavaScript",
        2,
        "enum Colour { Red }",
        null
      ])
      const [, imported] = yield* at("import fs from 'node:fs'\nreturn 1")
      assert.match(String(imported), /^a program has no import/)
      const [, missing] = yield* at("return await calc.subtract({ a: 1 })")
      assert.strictEqual(missing, "TypeError: calc has no tool subtract; it has add, echo, fail, slow")
      const [kind, computed, line] = yield* at(
        "let n = 0\nconst count = () => {\n  for (;;) n += Math.random()\n}\ncount()",
        {
          limits: { computeMillis: 100 }
        }
      )
      assert.deepStrictEqual([kind, line], ["compute", 3])
      assert.match(String(computed), /^it computed for 0\.1 s, the most that a program may/)
    }))

  it.effect("counts the time of a program, and not that of its tools", () =>
    Effect.gen(function*() {
      const slow = run("for (let i = 0; i < 5; i++) await calc.add({ a: i, b: 1 })\nreturn 'done'", {
        limits: { computeMillis: 1500 },
        call: () => Effect.as(Effect.sleep(500), { value: 1 })
      })
      assert.strictEqual((yield* slow).value, "done")
    }))

  it.effect("makes so many calls at a time, and tells which were not made", () =>
    Effect.gen(function*() {
      let now = 0
      let most = 0
      const call = () =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            most = Math.max(most, ++now)
          }),
          () => Effect.as(Effect.sleep(5), { value: most }),
          () => Effect.sync(() => now--)
        )
      const all = yield* run("return (await Promise.all(Array.from({ length: 60 }, () => calc.add()))).length", {
        call
      })
      assert.deepStrictEqual([all.value, most], [60, 16])

      const stopped = yield* run(
        "await calc.add({ a: 1, b: 1 })\nfor (let i = 0; i < 3; i++) calc.slow()\nthrow new Error('enough')",
        { limits: { inFlight: 2, graceMillis: 50 }, call: ({ args, name }) => answer(name, args) }
      )
      assert.strictEqual(stopped.error?.message, "Error: enough")
      assert.deepStrictEqual(stopped.calls.map((call) => call.outcome), ["done", "unknown", "unknown", "not made"])
    }))

  it.effect("refuses what JSON has not, in words", () =>
    Effect.gen(function*() {
      const said = (source: string) => Effect.map(run(source), ({ error }) => error?.message)
      assert.deepStrictEqual(
        yield* Effect.forEach([
          "const a = {}; a.a = a; await calc.echo(a)",
          "await calc.echo({ value: 1n })",
          "await calc.echo('text')",
          "await calc.echo([1])",
          "const a = []; a[0] = a; return a",
          "return () => 1"
        ], said),
        [
          "TypeError: calc_echo: its arguments cannot be written as JSON: circular reference",
          "TypeError: calc_echo: its arguments cannot be written as JSON: BigInt are forbidden in JSON.stringify",
          "TypeError: calc_echo takes one object, with its arguments by name",
          "TypeError: calc_echo takes one object, with its arguments by name",
          "the value cannot be written as JSON: circular reference",
          "the value is a function, which JSON has not: return what is in it"
        ]
      )
    }))

  it.effect.prop(
    "shows a program what a direct call gives, and a call what the program gave",
    [Arbitrary.schema(Schema.Json)],
    ([value]) =>
      Effect.gen(function*() {
        const odd = { value, ...ODD }
        const seen: Array<unknown> = []
        const outcome = yield* run("return await calc.echo({ value: await calc.echo() })", {
          call: ({ args, id }) =>
            Effect.sync(() => {
              seen.push(args)
              return { value: id === 1 ? odd : args["value"] ?? null }
            })
        })
        // As JSON over the wire, which has no -0.
        const wire: unknown = JSON.parse(JSON.stringify(odd))
        assert.deepStrictEqual([seen, outcome.value], [[{}, { value: wire }], wire])
      }),
    { arbitrary: { runs: 25 } }
  )

  it.effect("goes on in another process with a program that waited for a person", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "program")
      const first = yield* Command.start(["save", file], HOST)
      yield* until(() => first.seen.stdout.includes("saved"))
      assert.match(first.seen.stdout, /^saved \d{5,6}\n$/)
      first.child.kill("SIGKILL")
      const { stderr, stdout } = yield* Command.run(["load", file], HOST)
      const outcome: ProgramOutcome = JSON.parse(stdout)
      assert.strictEqual(stderr, "")
      assert.isNull(outcome.error)
      assert.deepStrictEqual(outcome.console, ["big 40", "disk_delete: it is in use"])
      assert.lengthOf(outcome.value as Array<string>, 39)
      assert.deepStrictEqual(outcome.calls.map(({ id }) => id), Array.from({ length: 41 }, (_, index) => index + 1))
      assert.deepStrictEqual(outcome.calls.filter((call) => call.outcome === "failed").map(({ id }) => id), [7])

      const bytes = readFileSync(file)
      const from = (snapshot: Uint8Array) => Effect.map(run("return 1", { from: snapshot }), ({ error }) => error)
      const other = Buffer.from(bytes.toString("latin1").replace(/"build":"./, "\"build\":\"x"), "latin1")
      assert.deepStrictEqual((yield* from(other))?.kind, "snapshot")
      assert.match((yield* from(other))?.message ?? "", /^another version of BooCode began this program/)
      assert.match((yield* from(bytes.subarray(0, -9)))?.message ?? "", /damaged/)
      assert.match((yield* from(bytes.subarray(3)))?.message ?? "", /another format/)
    }))

  it.effect("lends its threads to others while programs wait for people", () =>
    Effect.gen(function*() {
      const answered = yield* Deferred.make<void>()
      const saved = yield* Queue.unbounded<number>()
      const waiting = yield* Effect.forkChild(Effect.forEach(Array.from({ length: 20 }), () =>
        run("const before = [1, 2]\nreturn [...before, await calc.add({ a: 1, b: 2 })]", {
          limits: { parkMillis: 1 },
          call: ({ args, name, waiting }) =>
            Effect.andThen(waiting(true), Effect.andThen(Deferred.await(answered), answer(name, args))),
          onSnapshot: (snapshot) =>
            Queue.offer(saved, snapshot.length)
        }), { concurrency: "unbounded" }))
      // More than there are threads.
      yield* Queue.takeN(saved, 20)
      assert.strictEqual((yield* run("return 1")).value, 1)
      yield* Deferred.succeed(answered, undefined)
      const all = yield* Fiber.join(waiting)
      assert.deepStrictEqual(
        all.map(({ value }) =>
          value
        ),
        Array.from({ length: 20 }, () => [1, 2, 3])
      )
    }))

  it.effect("ends with its calls when it is interrupted, also while it computes", () =>
    Effect.gen(function*() {
      const began = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const call = () =>
        Effect.andThen(
          Deferred.succeed(began, undefined),
          Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined))
        )
      const waits = yield* Effect.forkChild(run("await calc.slow()", { call }))
      yield* Deferred.await(began)
      yield* Fiber.interrupt(waits)
      yield* Deferred.await(ended)

      const looping = yield* Deferred.make<void>()
      const computes = yield* Effect.forkChild(
        run("await boo.describe('x')\nfor (;;) {}", {
          describe: () => Effect.as(Deferred.succeed(looping, undefined), "")
        })
      )
      yield* Deferred.await(looping)
      yield* Fiber.interrupt(computes)
      assert.strictEqual((yield* run("return 1")).value, 1)
    }))
})
