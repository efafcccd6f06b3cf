/** A server of version 2 of the official SDK, 2026-07-28, that offers prompts, resources and templates, and completes. */
import { completable, McpServer, ResourceTemplate } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"

serveStdio(() => {
  const server = new McpServer({ name: "modern-offers", version: "1.0.0" }, { capabilities: {} })
  server.registerPrompt(
    "review",
    {
      title: "Review",
      description: "Reviews a file",
      argsSchema: z.object({
        path: completable(z.string(), (typed) => ["a.md", "b.md"].filter((path) => path.startsWith(typed)))
      })
    },
    ({ path }) => ({ messages: [{ role: "user", content: { type: "text", text: `Review ${path}.` } }] })
  )
  server.registerResource("notes", "memo://notes", { mimeType: "text/plain" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "text/plain", text: "Buy milk." }]
  }))
  server.registerResource(
    "day",
    new ResourceTemplate("memo://{day}/plan", { list: undefined }),
    {},
    ({ href }, { day }) => ({ contents: [{ uri: href, text: `The plan of ${String(day)}.` }] })
  )
  return server
})
