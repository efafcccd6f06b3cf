/** Closes its standard output when its tool `shut` is called, and lives on. */
import { closeSync } from "node:fs"
import { text } from "./JsonRpcLines.ts"
import { serveTools, stay } from "./ZooServer.ts"

stay()
serveTools("closes-output", {
  shut: () => {
    setTimeout(() => closeSync(1), 20)
    return text("closing")
  }
})
