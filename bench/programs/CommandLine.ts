/**
 * A whole process that calls one tool: milliseconds from its start to the answer on its output, and to its end. What was
 * run before has warmed the machine. `node programs/CommandLine.ts boocode|sdk [--runs N]`
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { TEXT } from "../support/Client.ts"
import { say, stdio } from "../support/Program.ts"
import { median } from "../support/Samples.ts"

const { positionals: [kind], values } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: "string", default: "5" } }
})

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "boocode-bench-"))
mkdirSync(join(folder, "home"))
const config = join(folder, "mcp.json")
writeFileSync(config, JSON.stringify({ mcpServers: { server: stdio() } }))
const input = JSON.stringify({ text: TEXT })

const command = kind === "boocode"
  ? [path("../../scripts/Boocode.mjs"), "mcp", "call", "server_echo", "--args", input, "--config", config]
  : [path("first/SdkCall.mjs"), config, "server", "echo", input]

/** As a person's shell would run it, in a home of its own. */
const env = {
  PATH: process.env["PATH"],
  HOME: join(folder, "home"),
  BOOCODE_STATE_DIR: join(folder, "state")
}

const called = async () => {
  const start = performance.now()
  const child = spawn(process.execPath, command, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
  let out = ""
  let err = ""
  let answered = 0
  child.stderr.setEncoding("utf8").on("data", (text: string) => err += text)
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
    if (answered === 0 && out.includes(TEXT)) answered = performance.now() - start
  })
  const [code] = await once(child, "close")
  if (code !== 0 || answered === 0) throw new Error(`ended with ${code}: ${err.slice(-500)}`)
  return { answer: answered, end: performance.now() - start }
}

// Caches of the file system and of compiled code are a warm machine's.
for (let run = 0; run < 2; run++) await called()
const runs = []
for (let run = 0; run < Number(values.runs); run++) runs.push(await called())
rmSync(folder, { recursive: true, force: true })
say({ answer: median(runs.map(({ answer }) => answer)), end: median(runs.map(({ end }) => end)) })
