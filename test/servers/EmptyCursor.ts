/** Ends its list of tools with an empty cursor in place of none, and begins anew when that is sent back. */
import { anything, serveTools } from "./ZooServer.ts"

serveTools("empty-cursor", {}, {
  list: () => ({ tools: ["echo", "counters"].map((name) => ({ name, inputSchema: anything })), nextCursor: "" })
})
