/** The public names of mcp-registry. */
export {
  type Asker,
  type Asking,
  type AuthorizationRequest,
  Authorizer,
  type CallProgress,
  type CallResult,
  type Changed,
  CleanText,
  type Credential,
  type CredentialKey,
  Credentials,
  type CredentialStore,
  type Elicitation,
  type ElicitationAnswer,
  ElicitationForm,
  type ExitStatus,
  type FormRequest,
  type HttpReceiver,
  type HttpRequest,
  type HttpSend,
  type LogLine,
  MARKER_VARIABLE,
  McpError,
  type McpErrorReason,
  McpErrors,
  McpFetch,
  nobody,
  type OutputPipe,
  type ProcessTarget,
  ProcessTree,
  type Program,
  type ProgramCommand,
  type ProgramListener,
  Programs,
  ProtocolMemory,
  type ResponseHeaders,
  type Root,
  type SamplingAnswer,
  SamplingRefused,
  type SamplingRequest,
  type Seal,
  SecureAddress,
  type ServerAuth,
  ServerRequests,
  type StatusError,
  type TextStyle,
  toStatusError,
  type UrlRequest
} from "@boocode/mcp-client"
export { CurrentServer, type Listed, McpServer, type ServerOptions } from "./lifecycle/McpServer.ts"
export { McpRegistries, McpRegistry, type RegistryOptions, type Settled } from "./McpRegistry.ts"
export type { CallOptions, McpTool, RejectedTool } from "./model/McpTool.ts"
export * as PersonalEntries from "./model/PersonalEntries.ts"
export { PersonalValues } from "./model/PersonalValues.ts"
export type { ServerNews } from "./model/ServerNews.ts"
export type { ServerCapabilities, ServerState, ServerStatus, StepTime } from "./model/ServerStatus.ts"
export * as ToolClass from "./model/ToolClass.ts"
export * as ToolUi from "./model/ToolUi.ts"
export type { Completion, CompletionRequest } from "./offerings/Prompts.ts"
export type { McpPrompt, PromptResult } from "./offerings/Prompts.ts"
export type { McpResource, McpResourceTemplate, ResourceContent } from "./offerings/Resources.ts"
export type { ResourceUpdate } from "./offerings/ResourceWatches.ts"
export type { OwnServer } from "./RegistryView.ts"
export * as SeenRegistry from "./SeenRegistry.ts"
export type { PromptList, ResourceList } from "./servers/Offerings.ts"
export { forgetLogins, keptFor } from "./servers/PersonalKeeping.ts"
export type { ScriptedServer, ScriptedServers, ScriptedTool } from "./servers/ScriptedServers.ts"
export type { Applied } from "./servers/ServerSet.ts"
export type { DecisionOptions, Decisions } from "./servers/TrustDecisions.ts"
export { ConnectionPerson, ConnectionSource, type Open } from "./state/ConnectionSource.ts"
export { Manifests } from "./tools/Manifests.ts"
export * as ToolName from "./tools/ToolName.ts"
export { make as toolView, type ToolView } from "./tools/ToolView.ts"
export { Admission } from "./trust/Admission.ts"
export { Approvals } from "./trust/Approvals.ts"
export type { ApprovalOptions, Standing } from "./trust/ApprovalStanding.ts"
export { maskedUrl } from "./trust/EntryHash.ts"
export type { ToolDifference } from "./trust/ToolDifference.ts"
export { ToolPins } from "./trust/ToolPins.ts"
export * as ToolPrint from "./trust/ToolPrint.ts"
export { make as trustDetails, type TrustDetails } from "./trust/TrustDetails.ts"
export * as TrustedPublishers from "./trust/TrustedPublishers.ts"
