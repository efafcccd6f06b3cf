/**
 * The server behind every gateway of the measurements: `echo`, by the official SDK as most servers are.
 * `node SdkEcho.mjs` over stdio; `--http` over streamable HTTP, with a session for each client, and its address on a line.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import process from "node:process"

const TOOL = {
  name: "echo",
  description: "Gives the text back",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { readOnlyHint: true }
}

const connected = async (transport) => {
  const server = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [TOOL] }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: "text", text: String(params.arguments?.text) }]
  }))
  await server.connect(transport)
  return transport
}

const sessions = new Map()

const begun = () => {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport)
  })
  return connected(transport)
}

if (process.argv[2] === "--http") {
  const server = createServer(async (request, response) => {
    const transport = sessions.get(request.headers["mcp-session-id"]) ?? await begun()
    await transport.handleRequest(request, response)
  })
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
} else await connected(new StdioServerTransport())
