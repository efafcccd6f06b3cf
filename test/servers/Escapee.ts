/** Starts a process that leaves twice over: a session of its own, whose child takes another and outlives its parent. */
import { spawn } from "node:child_process"
import { serveTools } from "./ZooServer.ts"

const forever = "for (const s of ['SIGTERM', 'SIGHUP']) process.on(s, () => {}); setInterval(() => {}, 60000)"
const inBetween = `
  const options = { detached: true, stdio: "ignore" }
  require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(forever)}], options).unref()`

spawn(process.execPath, ["-e", inBetween], { detached: true, stdio: "ignore" }).unref()
serveTools("escapee", {})
