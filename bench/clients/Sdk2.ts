/** The official SDK, version 2, as the workspace has it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { loop, type Open, type Server, textOf } from "../support/Client.ts"

const transport = (server: Server) => {
  if ("url" in server) return new StreamableHTTPClientTransport(new URL(server.url))
  const { args, command, maxMessageBytes: maxBufferSize } = server
  return new StdioClientTransport({
    command,
    args: [...args],
    ...(maxBufferSize === undefined ? {} : { maxBufferSize })
  })
}

/** With its own way of finding out about the protocol, for the rows of starts. */
export const openWith = (options: ConstructorParameters<typeof Client>[1]): Open => (servers) =>
  loop(servers, async (server) => {
    const client = new Client({ name: "bench", version: "1.0.0" }, options)
    await client.connect(transport(server))
    const { tools } = await client.listTools()
    return {
      tools: tools.length,
      call: async (name, input) => textOf(await client.callTool({ name, arguments: { ...input } })),
      close: () => client.close()
    }
  })

export const open: Open = openWith({})
