/**
 * Does not go: ignores the end of input, SIGTERM, SIGINT and SIGHUP, and starts a grandchild that does the same. With
 * `--detach` the grandchild leaves the process group too. Its tool `pids` names both.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { serve, text } from "./JsonRpcLines.ts"

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {})
// Something to do for ever, as without it the end of input would end the process.
setInterval(() => {}, 60_000)

if (!process.argv.includes("--grandchild")) {
  const grandchild = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), "--grandchild"], {
    stdio: "ignore",
    detached: process.argv.includes("--detach")
  })
  serve({
    name: "stubborn",
    list: () => ({ tools: [{ name: "pids", inputSchema: { type: "object", properties: {} } }] }),
    call: () => text(JSON.stringify([process.pid, grandchild.pid])),
    ended: () => {}
  })
}
