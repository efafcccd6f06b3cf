/** The public names of toolkit. */
export type { AgentTool } from "./AgentTool.ts"
export * as McpToolkit from "./McpToolkit.ts"
export * as ModelText from "./ModelText.ts"
export { isHandle, ResultFiles } from "./ResultFiles.ts"
export * as ToolArguments from "./ToolArguments.ts"
export * as ToolResult from "./ToolResult.ts"
export * as ToolSchema from "./ToolSchema.ts"
export * as Utf8 from "./Utf8.ts"
