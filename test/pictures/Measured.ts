/** What the server measures differs each time. These are answers of it as the pictures show them. */
import type { TimelineBar, TurnTimeline } from "@boocode/chat/TurnTimeline"
import type { Page } from "playwright-core"

const USAGE = {
  inputTokens: 2700,
  outputTokens: 281,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  cost: 0.0012
}

const bar = (kind: TimelineBar["kind"], from: number, until: number, more: Partial<TimelineBar> = {}): TimelineBar => ({
  ...{ kind, from, until, isOpen: false, isFailed: false, name: null, server: null, call: null, program: null },
  ...{ first: null, usage: null },
  ...more
})

const file = (from: number, until: number, isFailed = false) =>
  bar("call", from, until, { name: "files_read_text_file", server: "files", isFailed })

const TIMELINE: Omit<typeof TurnTimeline.Type, "chat"> = {
  turn: 1,
  agent: "Assistant",
  model: "openai/gpt-5-mini",
  sentAt: "2026-11-24T14:42:00.000Z",
  millis: 9400,
  isKnown: true,
  usage: USAGE,
  bars: [
    bar("request", 0, 2600, { first: 900 }),
    file(2600, 2900),
    file(2600, 3100),
    file(2600, 2700, true),
    file(2600, 3900),
    bar("request", 3900, 9400, { first: 4700 })
  ]
}

const METRICS = `process_uptime_seconds 93600
process_resident_memory_bytes 184000000
nodejs_heap_size_used_bytes 61000000
boocode_turns_total{reason="stop"} 412
boocode_turns_total{reason="error"} 9
mcp_server_tools{server="files"} 14
mcp_tool_calls_total{server="files",tool="files_read_text_file",outcome="ok"} 1204
mcp_tool_calls_total{server="files",tool="files_read_text_file",outcome="failed"} 31
mcp_client_operation_duration_seconds_sum{boocode_server="files"} 172.9
mcp_client_operation_duration_seconds_count{boocode_server="files"} 1235
mcp_server_tools{server="calendar"} 6
mcp_server_restarts_total{server="calendar"} 2
mcp_tool_calls_total{server="calendar",tool="calendar_list",outcome="ok"} 88
boocode_model_tokens_total{model="openai/gpt-5-mini",kind="input"} 1840000
boocode_model_tokens_total{model="openai/gpt-5-mini",kind="output"} 212000
boocode_model_cost_dollars_total{model="openai/gpt-5-mini"} 1.87
boocode_http_requests_total{method="GET",route="/api/chats",status="200"} 5210
boocode_http_requests_total{method="POST",route="/api/chats/:id/messages",status="200"} 421
boocode_http_requests_total{method="POST",route="/api/chats/:id/messages",status="409"} 3
`

export const timeline = (page: Page) =>
  page.route("**/timeline", async (route) => {
    const chat = new URL(route.request().url()).pathname.split("/")[3] ?? ""
    await route.fulfill({ json: { chat, ...TIMELINE } })
  })

export const metrics = (page: Page) =>
  page.route("**/metrics", (route) => route.fulfill({ body: METRICS, contentType: "text/plain" }))

const NODE = "10.0.0.7:4267"

const version = (name: string, number: number, at: string, by: string, removed = false) => ({
  ...{ name, version: number, at: `2026-11-${at}:00Z`, by, removed }
})

/** Versions of a fleet's configuration, the newest first. */
const VERSIONS = [
  version("mcp.json", 7, "24T14:20", `Ann at ${NODE}`),
  version("agents/Reader.md", 2, "24T09:05", "10.0.0.8:4267", true),
  version("mcp.json", 6, "23T16:41", "Bartholomew Featherstonehaugh at 10.0.0.8:4267"),
  ...[5, 4, 3, 2].map((number) => version("mcp.json", number, `1${number}T11:00`, NODE)),
  version("agents/Reader.md", 1, "12T08:00", "boocode fleet import"),
  version("mcp.json", 1, "12T08:00", "boocode fleet import")
]

const textOf = (...servers: ReadonlyArray<string>) =>
  JSON.stringify(
    { mcpServers: Object.fromEntries(servers.map((name) => [name, { command: name, env: { TOKEN: "••••••••" } }])) },
    null,
    2
  )

export const history = async (page: Page) => {
  await page.route("**/api/fleet/configuration", (route) => route.fulfill({ json: { versions: VERSIONS } }))
  await page.route("**/api/fleet/configuration/compare?*", (route) =>
    route.fulfill({
      json: { newest: 7, before: textOf("files", "mail"), after: textOf("files", "calendar"), same: false }
    }))
}
