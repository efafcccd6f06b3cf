/**
 * Stops reading its input when its tool `deafen` or `mutter` is called; after `mutter` it still says something every second.
 * With `--start` it never reads at all.
 */
import { send, text } from "./JsonRpcLines.ts"
import { serveTools, stay } from "./ZooServer.ts"

stay()
if (process.argv.includes("--start")) process.stderr.write("deaf: reads nothing\n")
else {
  const deafen = () => {
    setTimeout(() => process.stdin.pause(), 0)
    return text("deaf from now on")
  }
  serveTools("deaf", {
    deafen,
    mutter: () => {
      setInterval(() => send({ method: "notifications/message", params: { level: "debug", data: "what?" } }), 1000)
      return deafen()
    }
  })
}
