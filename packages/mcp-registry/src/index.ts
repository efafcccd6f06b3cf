/** The public names of mcp-registry. */
export * as McpErrors from "./McpError.ts"
export { McpError, type McpErrorReason, toStatusError } from "./McpError.ts"
export { McpFetch } from "./McpFetch.ts"
export { type CallOptions, McpRegistry, type Settled, type ToolView } from "./McpRegistry.ts"
export type { CallProgress, CallResult, McpTool, RejectedTool } from "./McpTool.ts"
export { MARKER_VARIABLE, type ProcessTarget, ProcessTree } from "./ProcessTree.ts"
export { ServerState, ServerStatus, StatusError } from "./ServerStatus.ts"
