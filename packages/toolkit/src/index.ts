/** The public names of toolkit. */
export type { AgentTool } from "./AgentTool.ts"
export * as ToolResult from "./ToolResult.ts"
