/** Sends messages that are too big: its tool `big` answers with so many `bytes`, and with `--list` the list of tools has 64 MB. */
import { text } from "./JsonRpcLines.ts"
import { anything, serveTools } from "./ZooServer.ts"

const filler = (bytes: number) => "x".repeat(bytes)
const tools = [{ name: "big", description: filler(64 * 1024 * 1024), inputSchema: anything }]

serveTools(
  "big-message",
  { big: ({ params }) => text(filler(Number(params?.arguments?.["bytes"] ?? 64 * 1024 * 1024))) },
  process.argv.includes("--list") ? { list: () => ({ tools }) } : {}
)
