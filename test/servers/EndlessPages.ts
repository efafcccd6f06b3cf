/** Has another page of tools for ever, each with a fresh cursor and a new tool. */
import { anything, serveTools } from "./ZooServer.ts"

serveTools("endless-pages", {}, {
  list: (cursor) => {
    const page = Number(cursor ?? 0)
    const tools = page === 0 ? ["echo", "counters"] : [`tool_${page}`]
    return { tools: tools.map((name) => ({ name, inputSchema: anything })), nextCursor: String(page + 1) }
  }
})
