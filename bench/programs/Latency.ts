/**
 * Calls of `echo` one at a time: microseconds of the middle one, of the slowest in a hundred, and of processor time.
 * `node programs/Latency.ts CLIENT --calls N [--http json|sse]`
 */
import { parseArgs } from "node:util"
import { opened, say, serversOf } from "../support/Program.ts"
import { percentile } from "../support/Samples.ts"

const { positionals: [side = ""], values } = parseArgs({
  allowPositionals: true,
  options: { calls: { type: "string", default: "2000" }, http: { type: "string", default: "" } }
})
const count = Number(values.calls)

await using started = await serversOf(1, values.http)
const client = await opened(side, started.servers)
const servers = Object.keys(started.servers)

await client.calls({ inFlight: 1, servers, count: Math.ceil(count / 2) })
const times = new Float64Array(count)
const before = process.cpuUsage()
await client.calls({ inFlight: 1, servers, count, times })
const { system, user } = process.cpuUsage(before)
await client.close()
const micros = Array.from(times, (millis) => millis * 1000)
say({ p50: percentile(micros, 0.5), p99: percentile(micros, 0.99), cpu: (user + system) / count })
