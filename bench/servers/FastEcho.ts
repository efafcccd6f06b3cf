/** As fast as a stdio server of 40 lines can be, so that a measurement shows the client: one tool that echoes its text. */
interface Request {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly arguments?: { readonly text?: string }; readonly protocolVersion?: string }
}

const TOOLS = [{
  name: "echo",
  description: "Gives the text back",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { readOnlyHint: true }
}]

const result = ({ method, params }: Request) => {
  if (method === "tools/call") return { content: [{ type: "text", text: params?.arguments?.text ?? "" }] }
  if (method === "tools/list") return { tools: TOOLS }
  if (method === "ping") return {}
  if (method !== "initialize") return undefined
  return {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "fast-echo", version: "1.0.0" }
  }
}

const answer = (line: string): string => {
  const request: Request = JSON.parse(line)
  if (request.id === undefined) return ""
  const found = result(request)
  const error = { code: -32601, message: `Method not found: ${request.method}` }
  return `${
    JSON.stringify({ jsonrpc: "2.0", id: request.id, ...(found === undefined ? { error } : { result: found }) })
  }\n`
}

let rest = ""
process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n")
  rest = lines.pop() ?? ""
  const out = lines.filter((line) => line !== "").map(answer).join("")
  if (out !== "") process.stdout.write(out)
})
