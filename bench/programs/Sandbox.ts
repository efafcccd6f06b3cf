/**
 * What programs of models cost: `node programs/Sandbox.ts border|host [--calls N]`. `border` is a call of a tool that answers at
 * once, so that only the way in and out of the sandbox is measured; `host` is how long other work waits while programs
 * compute, flood and move large values, and what a thread weighs.
 */
import * as Installation from "@boocode/chat-server/Installation"
import * as NodeSandbox from "@boocode/mcp-node/NodeSandbox"
import { type Program, type ProgramOutcome, Sandbox } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { parseArgs } from "node:util"
import type { Figures } from "../support/Harness.ts"
import { say } from "../support/Program.ts"
import { median } from "../support/Samples.ts"

const { positionals: [mode], values } = parseArgs({
  allowPositionals: true,
  options: { calls: { type: "string", default: "20000" } }
})
const calls = Number(values.calls)

const VALUE = Array.from(
  { length: 10_000 },
  (_, id) => ({ id, name: `item ${id}`, tags: ["a", "b"], note: "some text" })
)

const run = (source: string, more: Partial<Program> = {}) =>
  Sandbox.use((sandbox) =>
    sandbox.run({
      source,
      functions: ["echo", "list"].map((tool) => ({ server: "bench", tool, name: `bench_${tool}` })),
      describe: () => Effect.succeed(""),
      call: ({ args, name }) => Effect.succeed({ value: name === "bench_list" ? VALUE : args }),
      limits: { calls: 1_000_000, waiting: 1_000_000, computeMillis: 600_000 },
      ...more
    })
  )

const succeeded = Effect.fnUntraced(function*(source: string) {
  const start = performance.now()
  const { error }: ProgramOutcome = yield* run(source)
  if (error !== null) return yield* Effect.die(new Error(error.message))
  return performance.now() - start
})

const inRow = `for (let i = 0; i < ${calls}; i++) await bench.echo({ i })`
const atOnce = `for (let i = 0; i < ${calls}; i += 1000) {
  await Promise.all(Array.from({ length: 1000 }, (_, at) => bench.echo({ i: i + at })))
}`

const border = Effect.gen(function*() {
  const first = yield* succeeded("return 1")
  const again: Array<number> = []
  for (let time = 0; time < 30; time++) again.push(yield* succeeded("return await bench.echo({ a: 1 })"))
  yield* succeeded(inRow)
  yield* succeeded(atOnce)
  const one = (yield* succeeded(inRow)) / calls
  const many = (yield* succeeded(atOnce)) / calls
  return { first, again: median(again), one: one * 1000, many: many * 1000 }
})

/** What hostile and large programs do, a second each. */
const HEAVY = [
  "for (;;) {}",
  "globalThis.all = []; for (;;) all.push(new Promise(() => {}))",
  "const all = []; for (;;) all.push(new Uint8Array(1_000_000))",
  "return /^(a+)+$/.test('a'.repeat(40) + '!')",
  "for (;;) await bench.echo({ a: 1 })",
  "for (;;) console.log('x'.repeat(100))",
  "for (let i = 0; i < 20; i++) await bench.list()",
  "for (let i = 0; i < 20; i++) await bench.echo({ text: 'x'.repeat(900_000) })",
  "return (await bench.list()).slice(0, 9_000)"
]

const MB = 1_000_000

const host = Effect.gen(function*() {
  const before = process.memoryUsage().rss
  yield* succeeded("return 1")
  const thread = (process.memoryUsage().rss - before) / MB
  const delay = monitorEventLoopDelay({ resolution: 1 })
  // The first turns of the loop after a start wait for its compilation.
  yield* Effect.forEach(HEAVY, (source) => run(source, { limits: { computeMillis: 100, graceMillis: 0 } }))
  delay.enable()
  yield* Effect.forEach(HEAVY, (source) => run(source, { limits: { computeMillis: 1000, graceMillis: 0 } }), {
    concurrency: 2
  })
  delay.disable()
  return { block: delay.max / 1e6, block99: delay.percentile(99) / 1e6, thread }
})

const measured: Effect.Effect<Figures, never, Sandbox> = mode === "border" ? border : host

say(await Effect.runPromise(Effect.provide(measured, NodeSandbox.layer(Installation.sandbox))))
