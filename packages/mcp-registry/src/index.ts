/** The public names of mcp-registry. */
export { Admission } from "./Admission.ts"
export { type Asking, type AuthorizationRequest, Authorizer } from "./auth/Authorizer.ts"
export type { Credential } from "./auth/Credential.ts"
export type { CredentialKey } from "./auth/CredentialKey.ts"
export { type Changed, Credentials, type CredentialStore } from "./auth/Credentials.ts"
export type { Seal } from "./auth/Seal.ts"
export * as SecureAddress from "./auth/SecureAddress.ts"
export * as CleanText from "./CleanText.ts"
export type { Completion, CompletionRequest } from "./Completions.ts"
export { CurrentServer } from "./CurrentServer.ts"
export * as ElicitationForm from "./ElicitationForm.ts"
export { Manifests } from "./Manifests.ts"
export * as McpErrors from "./McpError.ts"
export { McpError, type McpErrorReason, toStatusError } from "./McpError.ts"
export { McpFetch, type Post, type Posting, type Receiving, type ResponseHeaders } from "./McpFetch.ts"
export { McpRegistry, type RegistryOptions, type Settled } from "./McpRegistry.ts"
export type { CallOptions, CallProgress, CallResult, McpTool, RejectedTool } from "./McpTool.ts"
export type { PromptList, ResourceList } from "./Offerings.ts"
export { MARKER_VARIABLE, type ProcessTarget, ProcessTree } from "./ProcessTree.ts"
export {
  type ExitStatus,
  type OutputPipe,
  type Program,
  type ProgramCommand,
  type ProgramListener,
  Programs
} from "./Programs.ts"
export type { McpPrompt, PromptResult } from "./Prompts.ts"
export { ProtocolMemory } from "./ProtocolMemory.ts"
export type { McpResource, McpResourceTemplate, ResourceContent } from "./Resources.ts"
export type { ScriptedServer, ScriptedServers, ScriptedTool } from "./ScriptedServers.ts"
export type { LogLine } from "./ServerLog.ts"
export {
  type Asker,
  type Elicitation,
  type ElicitationAnswer,
  type FormRequest,
  nobody,
  type Root,
  type SamplingAnswer,
  SamplingRefused,
  type SamplingRequest,
  ServerRequests,
  type UrlRequest
} from "./ServerRequests.ts"
export type { Applied } from "./ServerSet.ts"
export type { ServerAuth, ServerCapabilities, ServerState, ServerStatus, StatusError } from "./shapes/ServerStatus.ts"
export type { StepTime } from "./StepTimes.ts"
export * as ToolName from "./ToolName.ts"
export { make as toolView, type ToolView } from "./ToolView.ts"
export { type ApprovalOptions, Approvals, type Standing } from "./trust/Approvals.ts"
export type { DecisionOptions, Decisions } from "./trust/Decisions.ts"
export { maskedUrl } from "./trust/EntryFields.ts"
export type { ToolDifference } from "./trust/ToolDifference.ts"
export { ToolPins } from "./trust/ToolPins.ts"
export * as ToolPrint from "./trust/ToolPrint.ts"
export { make as trustDetails, type TrustDetails } from "./trust/TrustDetails.ts"
export * as TrustedPublishers from "./trust/TrustedPublishers.ts"
export type { ResourceUpdate } from "./Watches.ts"
