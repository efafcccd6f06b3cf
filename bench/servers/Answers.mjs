/** What the servers of the measurements answer, as JSON text that is written by hand; undefined for notifications. */

const INPUT = { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
const ECHO = {
  name: "echo",
  description: "Gives the text back",
  inputSchema: INPUT,
  annotations: { readOnlyHint: true }
}

const TEXT = {
  ...ECHO,
  name: "text",
  description: "Gives a text of so many bytes",
  inputSchema: { type: "object", properties: { bytes: { type: "integer" } }, required: ["bytes"] }
}

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]

/** So many tools by page. `echo` is the first; `text` is the second unless there is only one. */
const pages = (count, size) => {
  const more = Array.from({ length: Math.max(0, count - 2) }, (_, at) => ({
    ...ECHO,
    name: `tool_${at}`,
    description: `Does the thing number ${at} to a text, as one of many tools of this server, and gives it back`
  }))
  const tools = [ECHO, TEXT, ...more].slice(0, count)
  return Array.from({ length: Math.ceil(tools.length / size) }, (_, at) => tools.slice(at * size, (at + 1) * size))
}

/** Listed once, said often. */
const listed = (count, size) => {
  const all = pages(count, size)
  return all.map((tools, at) => JSON.stringify({ tools, ...(at + 1 < all.length ? { nextCursor: `${at + 1}` } : {}) }))
}

const filler = new Map()
const textOf = (bytes) => {
  if (!filler.has(bytes)) filler.set(bytes, JSON.stringify({ content: [{ type: "text", text: "x".repeat(bytes) }] }))
  return filler.get(bytes)
}

const called = ({ arguments: input = {}, name }) =>
  name === "text"
    ? textOf(input.bytes)
    : `{"content":[{"type":"text","text":${JSON.stringify(input.text ?? "")}}]}`

const initialized = ({ protocolVersion }) =>
  JSON.stringify({
    protocolVersion: VERSIONS.includes(protocolVersion) ? protocolVersion : "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "1.0.0" }
  })

const result = (lists, { method, params = {} }) => {
  if (method === "tools/call") return called(params)
  if (method === "tools/list") return lists[Number(params.cursor ?? 0)]
  if (method === "initialize") return initialized(params)
  return method === "ping" ? "{}" : undefined
}

export const respond = ({ page, tools }) => {
  const lists = listed(tools, page)
  return (request) => {
    if (request.id === undefined) return undefined
    const found = result(lists, request)
    const said = found === undefined
      ? `"error":{"code":-32601,"message":"Method not found: ${request.method}"}`
      : `"result":${found}`
    return `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},${said}}`
  }
}
