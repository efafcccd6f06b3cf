/** Sends without end, as fast as it is read, once it is initialized: notifications, or with `--junk` lines that are no messages. */
import { serveTools } from "./ZooServer.ts"

const notification = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "all is well" } }
const line = process.argv.includes("--junk")
  ? "[info] all is well, as ever and ever and ever"
  : JSON.stringify(notification)
const piece = `${line}\n`.repeat(500)

/** Each piece when the one before was taken. */
const more = () => void process.stdout.write(piece, () => setImmediate(more))

serveTools("torrent", {}, {
  notified: ({ method }) => method === "notifications/initialized" ? more() : undefined
})
