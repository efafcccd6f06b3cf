/** A tool as `mcp tools --json` prints it (DESIGN 3.2). */
import type { McpTool } from "@boocode/mcp-registry"
import type * as Schema from "effect/Schema"

export const toolDocument = (tool: McpTool): Schema.JsonObject => ({
  name: tool.name,
  server: tool.server,
  tool: tool.tool,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.inputSchema,
  annotations: tool.annotations,
  tokens: tool.tokens
})
