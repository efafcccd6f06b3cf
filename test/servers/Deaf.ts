/** Stops reading its input when its tool `deafen` is called; with `--start` it never reads at all. */
import { text } from "./JsonRpcLines.ts"
import { serveTools, stay } from "./ZooServer.ts"

stay()
if (process.argv.includes("--start")) process.stderr.write("deaf: reads nothing\n")
else {
  serveTools("deaf", {
    deafen: () => {
      setTimeout(() => process.stdin.pause(), 0)
      return text("deaf from now on")
    }
  })
}
