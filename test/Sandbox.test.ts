/** Programs of models in real threads: what they can do, and what the hostile ones cannot. */
import * as NodeSandbox from "@boocode/mcp-node/NodeSandbox"
import { type CallAnswer, type Program, type ProgramLimits, Sandbox } from "@boocode/toolkit/code"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import * as Installation from "../apps/chat-server/src/settings/Installation.ts"
import * as Deadline from "./support/Deadline.ts"

const layer = NodeSandbox.layer(Installation.sandbox)

const FUNCTIONS = ["add", "echo", "fail", "slow"].map((tool) => ({ server: "calc", tool, name: `calc_${tool}` }))

const answer = (name: string, args: Schema.JsonObject): Effect.Effect<CallAnswer> => {
  if (name === "calc_fail") return Effect.succeed({ error: "there is no such number" })
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
  computeMillis: String(kind).includes("compute") ? 400 : 120_000,
  memoryBytes: 24_000_000,
  graceMillis: 100
})

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

describe("A sandbox", Deadline.TEST, () => {
  it.live("runs a program, with its calls, its console and its value", () =>
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
    }).pipe(Effect.provide(layer)))

  it.live("lets other programs go on beside each hostile one, and says how it ended", () =>
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
    }).pipe(Effect.provide(layer)))
})
