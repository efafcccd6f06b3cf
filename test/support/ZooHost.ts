/**
 * A host of its own: `ZooHost.ts MARK ENTRIES CALLS` runs a registry, makes the calls one after another, closes, and
 * prints a report. It handles no stray rejection and no stray exception: one of them is the end of it.
 */
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Zoo from "./Zoo.ts"

const [mark = "", entries = "{}", calls = "[]"] = process.argv.slice(2)
const megabytes = () => Math.round(process.memoryUsage().rss / 1024 / 1024)

let rssPeak = 0
let stalledMillis = 0
let last = performance.now()
setInterval(() => {
  rssPeak = Math.max(rssPeak, megabytes())
  stalledMillis = Math.max(stalledMillis, performance.now() - last - 20)
  last = performance.now()
}, 20).unref()

const makeCall = Effect.fnUntraced(function*(registry: Zoo.Registry, tool: string, args: object) {
  const started = Date.now()
  const used = process.cpuUsage()
  const { length, outcome } = yield* registry.call(tool, args).pipe(
    Effect.match({
      onFailure: ({ reason }) => ({ outcome: reason._tag, length: 0 }),
      onSuccess: ({ content, isError }) => ({
        outcome: isError ? "error" : "result",
        length: content.reduce((sum, { text }) => sum + String(text).length, 0)
      })
    })
  )
  const { system, user } = process.cpuUsage(used)
  return { outcome, length, millis: Date.now() - started, cpuMillis: Math.round((system + user) / 1000) }
})

const main = McpRegistry.use((registry) =>
  Effect.gen(function*() {
    yield* registry.settled
    const rssBefore = megabytes()
    const rssPeakAtStart = Math.max(rssPeak, rssBefore)
    rssPeak = 0
    stalledMillis = 0
    const started = performance.now()
    const used = process.cpuUsage()
    const wanted: ReadonlyArray<readonly [string, object]> = JSON.parse(calls)
    const made = yield* Effect.forEach(wanted, ([tool, args]) => makeCall(registry, tool, args))
    const { system, user } = process.cpuUsage(used)
    const cpuPercent = Math.round((system + user) / 10 / (performance.now() - started))
    // A stray rejection may come a moment later.
    yield* Effect.sleep("300 millis")
    const servers = yield* registry.servers
    return {
      states: Object.fromEntries(servers.map(({ name, state }) => [name, state])),
      calls: made,
      rssPeakAtStart,
      rssBefore,
      rssPeak: Math.max(rssPeak, megabytes()),
      stalledMillis: Math.round(stalledMillis),
      cpuPercent
    } satisfies Zoo.HostReport
  })
).pipe(Effect.provide(Zoo.registryLayer(JSON.parse(entries), mark)))

console.log(JSON.stringify(await Effect.runPromise(main)))
