/** Leaves a helper process that holds its standard output open: at the end of input, or when its tool `leave` is called. */
import { spawn } from "node:child_process"
import { text } from "./JsonRpcLines.ts"
import { serveTools } from "./ZooServer.ts"

spawn(process.execPath, ["-e", "setInterval(() => {}, 60000)"], { stdio: ["ignore", "inherit", "inherit"] })
serveTools("helper", {
  leave: () => {
    setTimeout(() => process.exit(5), 20)
    return text("leaving")
  }
})
