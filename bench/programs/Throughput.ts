/**
 * Many calls of `echo`, so many of them at a time: microseconds a call by the clock and of processor time.
 * `node programs/Throughput.ts CLIENT --calls N --in-flight N --servers N [--http json|sse]`
 */
import { parseArgs } from "node:util"
import { opened, say, serversOf } from "../support/Program.ts"

const { positionals: [side = ""], values } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: "string", default: "20000" },
    "in-flight": { type: "string", default: "64" },
    servers: { type: "string", default: "1" },
    http: { type: "string", default: "" }
  }
})
const count = Number(values.calls)
const plan = { inFlight: Number(values["in-flight"]) }

await using started = await serversOf(Number(values.servers), values.http)
const client = await opened(side, started.servers)
const servers = Object.keys(started.servers)

// Warms up with as many calls as are measured: after half of them V8 still compiles, on cores that the server needs too.
await client.calls({ ...plan, servers, count })
const before = process.cpuUsage()
const start = performance.now()
await client.calls({ ...plan, servers, count })
const wall = performance.now() - start
const { system, user } = process.cpuUsage(before)
await client.close()
say({ wall: wall * 1000 / count, cpu: (user + system) / count })
