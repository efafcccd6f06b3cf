/**
 * Stdio servers from nothing to the tools of all of them, clients loaded before: milliseconds by the clock and of processor
 * time, and how many processes were started a server. `node programs/Cold.ts CLIENT --servers N`
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { imported, say, stdio } from "../support/Program.ts"

const { positionals: [side = ""], values } = parseArgs({
  allowPositionals: true,
  options: { servers: { type: "string", default: "32" } }
})
const count = Number(values.servers)
const folder = mkdtempSync(join(tmpdir(), "boocode-bench-"))
const started = join(folder, "started")
const servers = Object.fromEntries(
  Array.from({ length: count }, (_, at) => [`server${at}`, stdio("--started", started)])
)

const { open } = await imported(side)
const before = process.cpuUsage()
const start = performance.now()
const client = await open(servers)
const wall = performance.now() - start
const { system, user } = process.cpuUsage(before)
const tools = await client.tools()
if (tools !== count * 2) throw new Error(`${tools} tools of ${count} servers with two each`)
await client.close()
const starts = readFileSync(started, "utf8").trimEnd().split("\n").length
rmSync(folder, { recursive: true })
say({ wall, cpu: (user + system) / 1000, "processes a server": starts / count })
