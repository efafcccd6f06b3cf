/**
 * Uses a registry over and over and prints what is left of it each time, as JSON: `SlopeHost.ts calls|cycles AT... [--leak]`.
 * `calls` makes calls, 16 in flight, and measures when so many are made; `cycles` builds a registry, calls and closes
 * it. With `--leak` it keeps something of each on purpose. Needs `--expose-gc`; `--no-flush-bytecode` keeps code that was not
 * run for a while from looking like memory given back.
 */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { parseArgs } from "node:util"
import * as FixtureServer from "../support/FixtureServer.ts"
import * as Census from "./Census.ts"

/** What is there after so many calls or cycles. */
export interface Level {
  readonly at: number
  /** In bytes, after a collection. */
  readonly heap: number
  readonly fibers: number
  readonly handles: Readonly<Record<string, number>>
  readonly temporaryFiles: ReadonlyArray<string>
}

const IN_FLIGHT = 16

const { positionals: [mode, ...marks], values: { leak } } = parseArgs({
  allowPositionals: true,
  options: { leak: { type: "boolean", default: false } }
})
const kept: Array<unknown> = []
const keep = (thing: unknown) => {
  if (leak) kept.push(thing)
}

const registry = McpRegistry.layer().pipe(
  Layer.provide(McpConfig.layerEntries({
    echo: FixtureServer.entry("Echo")
  })),
  Layer.provide(NodeMcp.layer),
  Layer.provide(Environment.layer(process.env)),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
)

const level = (at: number): Level => ({
  at,
  // Counting them collects more thoroughly than anything else, so it comes first.
  fibers: Census.fibers(),
  heap: Census.heap(),
  handles: Census.handles(),
  temporaryFiles: readdirSync(tmpdir())
})

const call = Effect.fnUntraced(function*(number: number) {
  const text = `call ${number}`
  const result = yield* McpRegistry.use((registry) => registry.call("echo_echo", { text }))
  keep(result)
  if (result.content[0]?.["text"] !== text) return yield* Effect.die(new Error(`wrong answer to ${text}`))
})

/** Does something so many times, and measures at each mark. */
const measure = <E, R>(concurrency: number, once: (number: number) => Effect.Effect<void, E, R>) =>
  Effect.gen(function*() {
    const levels: Array<Level> = []
    let done = 0
    for (const at of marks.map(Number)) {
      const numbers = Array.from({ length: at - done }, (_, index) => done + index)
      yield* Effect.forEach(numbers, once, { concurrency, discard: true })
      done = at
      // Descriptors of a process that ended are closed a moment later.
      yield* Effect.sleep("300 millis")
      if (levels[0] !== undefined) yield* Census.settled(levels[0])
      levels.push(level(at))
    }
    return levels
  })

const calls = Effect.andThen(McpRegistry.use(({ settled }) => settled), measure(IN_FLIGHT, call)).pipe(
  Effect.provide(registry)
)

const cycles = measure(1, (number) =>
  Effect.suspend(() => {
    // A listener and a fiber of each cycle, as an unclosed connection would leave.
    if (leak) {
      process.on("exit", () => {})
      keep(Effect.runFork(Effect.never))
    }
    return Effect.andThen(McpRegistry.use(({ settled }) => settled), call(number)).pipe(
      Effect.provide(registry, { local: true })
    )
  }))

process.stdout.write(JSON.stringify(await Effect.runPromise(mode === "calls" ? calls : cycles)))
