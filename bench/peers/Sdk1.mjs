/** The official SDK, version 1. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { loop, textOf } from "../support/Client.ts"

const transport = (server) =>
  server.url === undefined
    ? new StdioClientTransport({
      command: server.command,
      args: server.args,
      ...(server.maxMessageBytes === undefined ? {} : { maxBufferSize: server.maxMessageBytes })
    })
    : new StreamableHTTPClientTransport(new URL(server.url))

/** Its `listTools` gives one page. */
const count = async (client) => {
  let found = 0
  let cursor
  do {
    const { nextCursor, tools } = await client.listTools(cursor === undefined ? {} : { cursor })
    found += tools.length
    cursor = nextCursor
  } while (cursor !== undefined)
  return found
}

export const open = (servers) =>
  loop(servers, async (server) => {
    const client = new Client({ name: "bench", version: "1.0.0" })
    await client.connect(transport(server))
    return {
      tools: await count(client),
      call: async (name, input) => textOf(await client.callTool({ name, arguments: input })),
      close: () => client.close()
    }
  })
