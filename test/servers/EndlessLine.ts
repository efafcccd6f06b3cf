/** Sends a line without end: as the answer of its tool `endless`, and with `--start` in place of every answer. */
import { serveTools } from "./ZooServer.ts"

const piece = "x".repeat(64 * 1024)

/** Each piece when the one before was taken, as fast as the reader reads. */
const more = () => void process.stdout.write(piece, () => setImmediate(more))

const endless = () => {
  process.stdout.write("{\"jsonrpc\":\"2.0\",\"result\":{\"text\":\"")
  more()
  return undefined
}

if (process.argv.includes("--start")) {
  endless()
  process.stdin.resume().on("end", () => process.exit(0))
} else {
  serveTools("endless-line", { endless })
}
