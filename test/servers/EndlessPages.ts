/** Has another page of tools for ever, each with a fresh cursor and a new tool, described in so many bytes: `EndlessPages.ts [BYTES]`. */
import { anything, serveTools } from "./ZooServer.ts"

const description = "x".repeat(Number(process.argv[2] ?? 0))

serveTools("endless-pages", {}, {
  list: (cursor) => {
    const page = Number(cursor ?? 0)
    const tools = page === 0 ? ["echo", "counters"] : [`tool_${page}`]
    return { tools: tools.map((name) => ({ name, description, inputSchema: anything })), nextCursor: String(page + 1) }
  }
})
