/**
 * The one module of errors: every reason says which server, what happened, and what to try.
 */
import * as Data from "effect/Data"
import * as CleanText from "../base/CleanText.ts"
import {
  CallTimeout,
  HandshakeFailed,
  HandshakeTimeout,
  InvalidArguments,
  ListFailed,
  MessageTooLarge,
  OutcomeUnknown,
  ProtocolMismatch,
  RequestFailed,
  Unresponsive
} from "./CallErrors.ts"
import {
  AlreadyRunning,
  ApprovalNotNeeded,
  CommandNotFound,
  DecisionNotKept,
  EntryChanged,
  InvalidEntry,
  NotApproved,
  NotOffered,
  NotReady,
  NotRunning,
  Rejected,
  RejectedByPolicy,
  ToolsChanged,
  UnknownPrompt,
  UnknownResource,
  UnknownServer,
  UnknownTool,
  VariableUnset
} from "./RegistryErrors.ts"
import type { StatusError } from "./StatusError.ts"
import {
  AuthorizationFailed,
  AuthRejected,
  AuthRequired,
  ConnectionLost,
  CrashLoop,
  Exited,
  HeadersHelperFailed,
  HttpStatus,
  SpawnFailed
} from "./TransportErrors.ts"

export * from "./CallErrors.ts"
export * from "./RegistryErrors.ts"
export * from "./TransportErrors.ts"

/**
 * The classes of all reasons.
 *
 * @category errors
 */
export const REASONS = [
  InvalidEntry,
  VariableUnset,
  CommandNotFound,
  SpawnFailed,
  Exited,
  HandshakeTimeout,
  HandshakeFailed,
  ProtocolMismatch,
  ListFailed,
  AuthRequired,
  AuthRejected,
  AuthorizationFailed,
  HeadersHelperFailed,
  HttpStatus,
  ConnectionLost,
  CrashLoop,
  Unresponsive,
  NotApproved,
  Rejected,
  DecisionNotKept,
  EntryChanged,
  ApprovalNotNeeded,
  ToolsChanged,
  AlreadyRunning,
  NotRunning,
  UnknownServer,
  UnknownTool,
  UnknownPrompt,
  UnknownResource,
  NotOffered,
  RejectedByPolicy,
  NotReady,
  InvalidArguments,
  CallTimeout,
  OutcomeUnknown,
  MessageTooLarge,
  RequestFailed
] as const

/**
 * Everything that can go wrong with a server or a call.
 *
 * @category models
 */
export type McpErrorReason = InstanceType<typeof REASONS[number]>

/**
 * Whether something that was caught is a reason.
 *
 * @category predicates
 */
export const isReason = (value: unknown): value is McpErrorReason => REASONS.some((Reason) => value instanceof Reason)

/**
 * The error of this package: which server (null when none is known), and why.
 *
 * @category errors
 */
export class McpError extends Data.TaggedError("McpError")<{
  readonly server: string | null
  readonly reason: McpErrorReason
}> {
  /** The reason's words, led by the server's name. */
  override get message(): string {
    return this.server === null ? this.reason.message : `${this.server}: ${this.reason.message}`
  }
  /** What to try. */
  get hint(): string {
    return this.reason.hint
  }
}

const field = <A>(reason: McpErrorReason, key: string, is: (value: unknown) => value is A): A | null => {
  const value: unknown = Reflect.get(reason, key)
  return is(value) ? value : null
}
const isNumber = (value: unknown): value is number => typeof value === "number"
const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/**
 * Gives a reason in the shape that statuses carry.
 *
 * @category encoding
 */
export const toStatusError = (reason: McpErrorReason): StatusError => ({
  _tag: reason._tag,
  message: CleanText.clean(reason.message),
  hint: CleanText.clean(reason.hint),
  exitCode: field(reason, "exitCode", isNumber),
  signal: field(reason, "signal", isText),
  stderr: field(reason, "stderr", isText),
  code: field(reason, "code", isNumber),
  method: field(reason, "method", isText),
  limitMillis: field(reason, "limitMillis", isNumber)
})
