/** `@langchain/mcp-adapters`: its tools, by their `invoke`. */
import { MultiServerMCPClient } from "@langchain/mcp-adapters"
import { make } from "../support/Client.ts"

const entry = ({ args, command, url }) =>
  url === undefined ? { transport: "stdio", command, args } : { transport: "http", url }

export const open = async (servers) => {
  const client = new MultiServerMCPClient({
    mcpServers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, entry(server)])),
    prefixToolNameWithServerName: true,
    additionalToolNamePrefix: "",
    onConnectionError: "ignore"
  })
  const tools = await client.getTools()
  // Nobody who only lists them needs this.
  let named = null
  return make({
    call: async (server, tool, input) => {
      named ??= new Map(tools.map((tool) => [tool.name, tool]))
      return String(await named.get(`${server}__${tool}`).invoke(input))
    },
    tools: async () => tools.length,
    close: () => client.close()
  })
}
