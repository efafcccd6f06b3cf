/** `@mastra/mcp`: its tools, by their `execute`. */
import { MCPClient } from "@mastra/mcp"
import { make, textOf } from "../support/Client.ts"

const entry = ({ args, command, url }) => url === undefined ? { command, args } : { url: new URL(url) }

export const open = async (servers) => {
  const client = new MCPClient({
    servers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, entry(server)]))
  })
  const tools = await client.listTools()
  return make({
    call: async (server, tool, input) => textOf(await tools[`${server}_${tool}`].execute(input)),
    tools: async () => Object.keys(tools).length,
    close: () => client.disconnect()
  })
}
