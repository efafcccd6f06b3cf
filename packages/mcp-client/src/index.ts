/** The public names of mcp-client: connect to a server, call, list, listen, and the services that a host provides. */
export * as ElicitationForm from "./asks/ElicitationForm.ts"
export * as CleanText from "./base/CleanText.ts"
export * as SecureAddress from "./base/SecureAddress.ts"
export { MARKER_VARIABLE } from "./base/ServerEnvironment.ts"
export type { BlockStyle, CallProgress, CallResult } from "./contract/CallResult.ts"
export type {
  Call,
  Capability,
  Connection,
  Inquiry,
  ItemList,
  Listing,
  ListKind,
  LogMessage
} from "./contract/Connection.ts"
export type { TextStyle } from "./contract/TextStyles.ts"
export * as McpErrors from "./errors/McpError.ts"
export { McpError, type McpErrorReason, toStatusError } from "./errors/McpError.ts"
export type { StatusError } from "./errors/StatusError.ts"
export { type HttpReceiver, type HttpRequest, type HttpSend, McpFetch, type ResponseHeaders } from "./host/McpFetch.ts"
export { type ProcessTarget, ProcessTree } from "./host/ProcessTree.ts"
export {
  type ExitStatus,
  type OutputPipe,
  type Program,
  type ProgramCommand,
  type ProgramListener,
  Programs
} from "./host/Programs.ts"
export { ProtocolMemory } from "./host/ProtocolMemory.ts"
export type { LogLine } from "./host/ServerLog.ts"
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
} from "./host/ServerRequests.ts"
export * as McpClient from "./McpClient.ts"
export { type Asking, type AuthorizationRequest, Authorizer } from "./oauth/Authorizer.ts"
export type { Changed, Credential, CredentialKey, CredentialStore, Seal } from "./oauth/credentials/Credential.ts"
export { Credentials } from "./oauth/credentials/Credentials.ts"
export type { ServerAuth } from "./oauth/credentials/CredentialSchema.ts"
