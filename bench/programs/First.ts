/**
 * The first calls of `echo` that a process makes, one at a time: microseconds a call by the clock and of processor time.
 * With `--after` it made so many before. `node programs/First.ts CLIENT --calls N [--after N] [--http json|sse]`
 */
import { parseArgs } from "node:util"
import { opened, say, serversOf } from "../support/Program.ts"

const { positionals: [side = ""], values } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: "string", default: "100" },
    after: { type: "string", default: "0" },
    http: { type: "string", default: "" }
  }
})
const count = Number(values.calls)

await using started = await serversOf(1, values.http)
const client = await opened(side, started.servers)
const servers = Object.keys(started.servers)

await client.calls({ inFlight: 1, servers, count: Number(values.after) })
const times = new Float64Array(count)
const before = process.cpuUsage()
const start = performance.now()
await client.calls({ inFlight: 1, servers, count, times })
const wall = performance.now() - start
const { system, user } = process.cpuUsage(before)
await client.close()
say({ wall: wall * 1000 / count, cpu: (user + system) / count, first: (times[0] ?? 0) * 1000 })
