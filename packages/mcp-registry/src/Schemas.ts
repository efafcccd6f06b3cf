/**
 * The schemas of what the registry tells, for programs that send it on. An entry of their own: the registry itself has no use
 * for `effect/Schema`, which takes longer to load than all the rest of it.
 */
export { ServerAuth } from "@boocode/mcp-client/Schemas"
export { LogLine } from "@boocode/mcp-client/Schemas"
export { StatusError } from "@boocode/mcp-client/Schemas"
export { Completion, CompletionRequest } from "./model/Offered.ts"
export { PromptList, ResourceList } from "./model/Offered.ts"
export { McpPrompt, PromptResult } from "./model/Offered.ts"
export { McpResource, McpResourceTemplate, ResourceContent } from "./model/Offered.ts"
export { ResourceUpdate } from "./model/Offered.ts"
export { ServerCapabilities, ServerState, ServerStatus } from "./model/ServerStatus.ts"
export { StepTime } from "./model/ServerStatus.ts"
export { ToolDifference } from "./trust/PinSchemas.ts"
export { TrustDetails } from "./trust/TrustDetailsSchema.ts"
