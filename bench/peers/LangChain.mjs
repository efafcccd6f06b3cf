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
  const tools = new Map((await client.getTools()).map((tool) => [tool.name, tool]))
  return make({
    call: async (server, tool, input) => String(await tools.get(`${server}__${tool}`).invoke(input)),
    tools: async () => tools.size,
    close: () => client.close()
  })
}
