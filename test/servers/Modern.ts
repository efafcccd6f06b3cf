/** An ordinary server made with version 2 of the official SDK: speaks 2026-07-28, and the handshake of before too. */
import { McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"

const text = (text: string) => ({ content: [{ type: "text" as const, text }] })

serveStdio(({ era }) => {
  const server = new McpServer({ name: "modern", version: "1.0.0" }, { capabilities: { tools: {} } })
  server.registerTool(
    "echo",
    {
      description: "Gives the text back",
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true }
    },
    ({ text: given }) => text(given)
  )
  server.registerTool(
    "add",
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } })
  )
  server.registerTool("era", { description: "Names the era of the connection" }, () => text(era))
  return server
})
