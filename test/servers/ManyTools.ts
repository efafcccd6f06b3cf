/** Offers 1,000 tools in pages of 100. */
import { text } from "./JsonRpcLines.ts"
import { anything, serveTools } from "./ZooServer.ts"

const tools = Array.from({ length: 1000 }, (_, index) => ({
  name: `tool_${String(index).padStart(4, "0")}`,
  description: `Tool number ${index}`,
  inputSchema: anything
}))

serveTools("many-tools", {}, {
  list: (cursor) => {
    const start = Number(cursor ?? 0)
    const page = tools.slice(start, start + 100)
    return start + 100 < tools.length ? { tools: page, nextCursor: String(start + 100) } : { tools: page }
  },
  call: ({ params }) => text(String(params?.name))
})
