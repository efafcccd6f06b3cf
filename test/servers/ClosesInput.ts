/** Closes its standard input when its tool `shut` is called, and lives on. */
import { closeSync } from "node:fs"
import { text } from "./JsonRpcLines.ts"
import { serveTools, stay } from "./ZooServer.ts"

stay()
serveTools("closes-input", {
  shut: () => {
    setTimeout(() => {
      process.stdin.destroy()
      try {
        closeSync(0)
      } catch {
        // It is closed already.
      }
    }, 20)
    return text("closing")
  }
}, { ended: () => {} })
