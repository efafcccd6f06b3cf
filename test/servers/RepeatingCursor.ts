/** Gives the same cursor on every page, and the same tools. */
import { anything, serveTools } from "./ZooServer.ts"

serveTools("repeating-cursor", {}, {
  list: () => ({
    tools: ["echo", "counters"].map((name) => ({ name, inputSchema: anything })),
    nextCursor: "again"
  })
})
