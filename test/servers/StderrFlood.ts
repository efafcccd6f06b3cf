/** Floods standard error: 10 MB before it starts to read, and 10 MB before each answer to a call. */
import { writeSync } from "node:fs"
import { text } from "./JsonRpcLines.ts"
import { serveTools } from "./ZooServer.ts"

const line = `${"debug ".repeat(170)}\n`
/** Waits for the reader: a program whose standard error nobody reads stops here. */
const flood = () => {
  for (let written = 0; written < 10 * 1024 * 1024; written += line.length) writeSync(2, line)
}

flood()
writeSync(2, "last words of the flood\n")
serveTools("stderr-flood", {
  work: () => {
    flood()
    return text("done")
  }
})
