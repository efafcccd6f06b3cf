/**
 * Makes garbage of what lived for a while, and prints as JSON how much the heap had at the start and at most:
 * `GarbageHost.ts bounded|free`. Needs `--expose-gc`.
 */
import * as Effect from "effect/Effect"
import * as HeapGrowth from "../../apps/chat-server/src/telemetry/HeapGrowth.ts"

if (process.argv[2] === "bounded") Effect.runSync(HeapGrowth.bounded)

const KEPT = 100_000
const REPLACED = 300_000

const make = (count: number) => ({ count, list: [count, String(count)] })
const kept = Array.from({ length: KEPT }, (_, at) => make(at))
globalThis.gc?.()
const start = process.memoryUsage().heapUsed
let most = start
for (let count = 0; count < REPLACED; count++) {
  kept[(count * 7919) % KEPT] = make(count)
  if (count % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed)
}
process.stdout.write(JSON.stringify({ start, most, last: kept.length }))
