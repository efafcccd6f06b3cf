/**
 * From nothing to the list of all tools: milliseconds by the clock, those of the processor, and the heap that the client
 * takes then. `node --expose-gc programs/List.ts CLIENT --tools N [--page N] [--servers N]`
 */
import { parseArgs } from "node:util"
import { heap } from "../support/Heap.ts"
import { imported, say, stdio } from "../support/Program.ts"

const { positionals: [side = ""], values } = parseArgs({
  allowPositionals: true,
  options: {
    tools: { type: "string", default: "10000" },
    page: { type: "string", default: "100" },
    servers: { type: "string", default: "1" }
  }
})
const count = Number(values.tools)
const servers = Number(values.servers)

const { open } = await imported(side)
const empty = await heap()
const before = process.cpuUsage()
const start = performance.now()
const server = stdio("--tools", String(Math.ceil(count / servers)), "--page", values.page)
const client = await open(Object.fromEntries(Array.from({ length: servers }, (_, at) => [`server${at}`, server])))
const found = await client.tools()
const wall = performance.now() - start
const { system, user } = process.cpuUsage(before)
if (found < count) throw new Error(`${found} of ${count} tools were listed`)
const taken = await heap() - empty
await client.close()
say({ wall, cpu: (user + system) / 1000, heap: taken / 1_000_000 })
