/** The same small program with the official SDK, version 2. `Sdk2.mjs SERVER` */
import process from "node:process"

const start = performance.now()
const { Client } = await import("@modelcontextprotocol/client")
const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio")
const loaded = performance.now() - start

const client = new Client({ name: "bench", version: "1.0.0" })
await client.connect(new StdioClientTransport({ command: process.execPath, args: [process.argv[2]] }))
const { tools: [tool] } = await client.listTools()
const first = performance.now() - start
if (tool === undefined) throw new Error("there is no tool")
process.stdout.write(`${JSON.stringify({ import: loaded, first })}\n`)
await client.close()
