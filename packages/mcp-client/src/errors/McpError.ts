/** The one module of errors: every reason says which server, what happened, and what to try. */
import * as Data from "effect/Data"
import * as CleanText from "../base/CleanText.ts"
import * as CallErrors from "./CallErrors.ts"
import * as EntryErrors from "./EntryErrors.ts"
import * as LookupErrors from "./LookupErrors.ts"
import type { StatusError } from "./StatusError.ts"
import * as TransportErrors from "./TransportErrors.ts"

export * from "./CallErrors.ts"
export * from "./EntryErrors.ts"
export { AT_WORK } from "./ErrorWords.ts"
export * from "./LookupErrors.ts"
export * from "./TransportErrors.ts"

/** The classes of all reasons, by their names. */
export const REASONS = { ...EntryErrors, ...TransportErrors, ...CallErrors, ...LookupErrors }

/** Everything that can go wrong with a server or a call. */
export type McpErrorReason = InstanceType<typeof REASONS[keyof typeof REASONS]>

/** Whether something that was caught is a reason. */
export const isReason = (value: unknown): value is McpErrorReason =>
  Object.values(REASONS).some((Reason) => value instanceof Reason)

/** The error of this package: which server (null when none is known), and why. */
export class McpError extends Data.TaggedError("McpError")<{
  readonly server: string | null
  readonly reason: McpErrorReason
}> {
  /** The reason's words, led by the server's name. */
  override get message(): string {
    return this.server === null ? this.reason.message : `${this.server}: ${this.reason.message}`
  }
  /** Advice to the user. */
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

/** Gives a reason in the shape that statuses carry. */
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
