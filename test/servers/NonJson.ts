/** Writes a banner, blank lines and JSON that is not JSON-RPC to standard output, before and between its messages. */
import { refuse, serve, text } from "./JsonRpcLines.ts"

const pollute = () => {
  process.stdout.write("\n  \n")
  process.stdout.write("[info] request handled\n")
  process.stdout.write("{\"level\":30,\"msg\":\"request handled\"}\n")
  process.stdout.write("[1,2,3]\nnull\n\"text\"\n{ \"jsonrpc\": \"2.0\", \"unfinished\": \n")
}

process.stdout.write("=== Non-JSON Server 1.0 ===\nListening on stdio.\r\n")
pollute()

serve({
  name: "non-json",
  list: () => ({
    tools: [{ name: "echo", inputSchema: { type: "object", properties: { text: { type: "string" } } } }]
  }),
  call: ({ params }) =>
    params?.name === "echo"
      ? text(String(params.arguments?.["text"] ?? ""))
      : refuse(-32602, `Unknown tool: ${params?.name}`),
  beforeAnswer: pollute
})
