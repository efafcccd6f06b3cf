/**
 * `callTool` through the registry against the bare SDK client, each with its own process of the same fixture server, in
 * one run: one call at a time, and 64 in flight. Rounds alternate which goes first. `node bench/Calls.ts [--rounds N]
 * [--calls N]`
 */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry } from "@boocode/mcp-registry"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { median, spread } from "./support/Samples.ts"

const IN_FLIGHT = 64
const TEXT = "The quick brown fox jumps over the lazy dog."
const SERVER = {
  command: process.execPath,
  args: [fileURLToPath(new URL("servers/FastEcho.ts", import.meta.url))]
}

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, calls: { type: "string", default: "2000" } }
})
const rounds = Number(values.rounds)
const calls = Number(values.calls)

/** One way of calling: how long so many calls take, so many of them at the same time. */
type Measure = (inFlight: number) => Effect.Effect<number>

const timed = (work: Effect.Effect<void>): Effect.Effect<number> =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(work, () => performance.now() - start)
  })

const throughRegistry = Effect.gen(function*() {
  const registry = yield* McpRegistry
  const { failed } = yield* registry.settled
  if (failed.length > 0) return yield* Effect.die(new Error(failed[0]?.error?.message))
  const call = Effect.orDie(registry.call("echo_echo", { text: TEXT }))
  return (concurrency: number) =>
    timed(Effect.forEach(Array.from({ length: calls }), () => call, { concurrency, discard: true }))
})

const throughSdk = Effect.gen(function*() {
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "bench", version: "0" })
      await client.connect(new StdioClientTransport(SERVER))
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )
  return (inFlight: number) =>
    timed(Effect.promise(async () => {
      let left = calls
      const worker = async () => {
        while (left-- > 0) await client.callTool({ name: "echo", arguments: { text: TEXT } })
      }
      await Promise.all(Array.from({ length: inFlight }, worker))
    }))
})

/** Both, round by round; the first round only warms up. */
const compare = Effect.fnUntraced(function*(name: string, inFlight: number, registry: Measure, sdk: Measure) {
  const ours: Array<number> = []
  const theirs: Array<number> = []
  for (let round = 0; round <= rounds; round++) {
    const sides = round % 2 === 0 ? [{ run: registry, into: ours }, { run: sdk, into: theirs }] : [
      { run: sdk, into: theirs },
      { run: registry, into: ours }
    ]
    for (const { into, run } of sides) {
      const millis = yield* run(inFlight)
      if (round > 0) into.push(millis)
    }
  }
  const costs = ours.map((millis, round) => millis / (theirs[round] ?? Number.NaN))
  const speeds = costs.map((cost) => 1 / cost)
  const micros = (all: ReadonlyArray<number>) => `${((median(all) * 1000) / calls).toFixed(1)} us a call`
  yield* Console.log(`${name}: registry ${micros(ours)}, bare SDK client ${micros(theirs)}`)
  yield* Console.log(`${name}: registry costs ${spread(costs, 2)} times the bare SDK`)
  yield* Console.log(`${name}: registry is ${spread(speeds, 2)} times as fast as the bare SDK`)
})

const main = Effect.gen(function*() {
  yield* Console.log(
    `${rounds} rounds of ${calls} calls; Node ${process.versions.node}, ${availableParallelism()} cores; medians, then least and greatest`
  )
  const registry = yield* throughRegistry
  const sdk = yield* throughSdk
  yield* compare("one at a time", 1, registry, sdk)
  yield* compare(`${IN_FLIGHT} in flight`, IN_FLIGHT, registry, sdk)
})

const layer = McpRegistry.layer().pipe(
  Layer.provide(McpConfig.layerEntries({ echo: SERVER })),
  Layer.provide(NodeMcp.layer),
  Layer.provide(Environment.layer(process.env)),
  // Standard output belongs to the results.
  Layer.provideMerge(Layer.succeed(Logger.LogToStderr, true))
)

main.pipe(Effect.scoped, Effect.provide(layer), NodeRuntime.runMain)
