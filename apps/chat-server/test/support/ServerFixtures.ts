/** A server, a tool and what there is to know before a decision, as the registry gives them. */
import type { McpTool, ServerStatus, TrustDetails } from "@boocode/mcp-registry"

export const status = (name: string, more: Partial<ServerStatus> = {}): ServerStatus => ({
  name,
  transport: "stdio",
  state: "ready",
  source: "data/mcp.json",
  sharing: "shared",
  isTrusted: true,
  tools: 1,
  undeclared: 0,
  asks: 0,
  asksResources: false,
  writes: null,
  classes: { reads: 0, undeclared: 0, writes: 0, destroys: 0 },
  tokens: 10,
  toolsChanged: 0,
  ...{ rejected: [], rejectedMore: 0, offer: null },
  warnings: [],
  protocolVersion: "2025-11-25",
  serverInfo: { name, version: "1.0.0" },
  instructions: null,
  capabilities: null,
  logLevel: null,
  auth: null,
  pid: 4711,
  idle: false,
  connectMillis: 240.4,
  steps: [],
  restarts: 0,
  error: null,
  ...more
})

export const tool = (server: string, name: string): McpTool => ({
  name: `${server}_${name}`,
  server,
  tool: name,
  title: null,
  description: `Does ${name}.`,
  inputSchema: { type: "object" },
  outputSchema: null,
  annotations: {},
  ...{ class: "undeclared", isOpenWorld: false, target: null },
  tokens: 5,
  maxResultBytes: 5_000_000,
  isAlwaysLoaded: false,
  needsApproval: false,
  isTrusted: true
})

export const trustDetails: TrustDetails = {
  server: "files",
  file: "/data/mcp.json",
  decision: "not-needed",
  by: null,
  hash: "ab12",
  entry: [{ key: "command", value: "run" }],
  changes: null,
  problem: null,
  tools: null,
  seen: "ab12"
}
