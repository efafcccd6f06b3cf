/** What `boocode mcp call` does, by hand with the official SDK: `SdkCall.mjs CONFIG SERVER TOOL ARGUMENTS`. */
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { readFileSync } from "node:fs"
import process from "node:process"

const [config, server, tool, input] = process.argv.slice(2)
const { mcpServers } = JSON.parse(readFileSync(config, "utf8"))
const client = new Client({ name: "bench", version: "1.0.0" })
await client.connect(new StdioClientTransport(mcpServers[server]))
const { tools } = await client.listTools()
if (!tools.some(({ name }) => name === tool)) throw new Error(`${server} has no tool ${tool}`)
const { content } = await client.callTool({ name: tool, arguments: JSON.parse(input) })
process.stdout.write(`${content[0].text}\n`)
await client.close()
