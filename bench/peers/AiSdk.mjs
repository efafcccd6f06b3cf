/** `@ai-sdk/mcp`: its tools, by their `execute`. */
import { createMCPClient } from "@ai-sdk/mcp"
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio"
import { loop, textOf } from "../support/Client.ts"

const transport = ({ args, command, url }) =>
  url === undefined ? new StdioTransport({ command, args }) : { type: "http", url }

export const open = (servers) =>
  loop(servers, async (server) => {
    const client = await createMCPClient({ transport: transport(server) })
    const tools = await client.tools()
    return {
      tools: Object.keys(tools).length,
      call: async (name, input) => textOf(await tools[name].execute(input, { toolCallId: "1", messages: [] })),
      close: () => client.close()
    }
  })
