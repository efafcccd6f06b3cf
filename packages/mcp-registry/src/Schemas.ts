/**
 * The schemas of what the registry tells, for whoever sends it on. An entry of their own: the registry itself has no use
 * for `effect/Schema`, which takes longer to load than all the rest of it.
 */
export { Completion, CompletionRequest } from "./shapes/Completion.ts"
export { LogLine } from "./shapes/LogLine.ts"
export { PromptList, ResourceList } from "./shapes/Offered.ts"
export { McpPrompt, PromptResult } from "./shapes/Prompt.ts"
export { McpResource, McpResourceTemplate, ResourceContent } from "./shapes/Resource.ts"
export { ResourceUpdate } from "./shapes/ResourceUpdate.ts"
export { ServerAuth, ServerCapabilities, ServerState, ServerStatus, StatusError } from "./shapes/ServerStatus.ts"
export { StepTime } from "./shapes/StepTime.ts"
export { ToolDifference } from "./shapes/ToolDifference.ts"
export { TrustDetails } from "./shapes/TrustDetails.ts"
