/**
 * Exits with code 3 and a last word at one step: `Exits.ts start|discover|initialize|initialized|list|call|end`. At
 * `initialized` it answers `initialize` and goes; at `call` its tool `crash` does it, at `end` the end of input does.
 */
import { text } from "./JsonRpcLines.ts"
import { serveTools } from "./ZooServer.ts"

const at = process.argv[2] ?? "start"

const exit = (): never => {
  process.stderr.write(`boom: exits at ${at}\n`)
  process.exit(3)
}

if (at === "start") exit()
// Before the shared part sees it, which would answer.
if (at === "discover") {
  process.stdin.prependListener("data", (bytes) => String(bytes).includes("\"server/discover\"") ? exit() : undefined)
}

const crash = () => at === "call" ? exit() : text("only with `call`")

serveTools("exits", { crash }, {
  initialize: (usual) => at === "initialize" ? exit() : usual,
  beforeAnswer: () => {
    if (at === "initialized") process.nextTick(() => setImmediate(exit))
  },
  ended: () => at === "end" ? exit() : process.exit(0),
  ...at === "list" ? { list: () => exit() } : {}
})
