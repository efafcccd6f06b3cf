/** How a call ended, in one word: for counters, histograms and spans. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { McpError } from "../errors/McpError.ts"
import type { CallResult } from "./CallResult.ts"

/** The end of a call. */
export type End = Exit.Exit<CallResult, unknown>

/** A request that the server refused with a JSON-RPC error is a result like those in which a tool tells of its own error. */
const refused = new WeakMap<CallResult, number>()

/** Remembers with which JSON-RPC error code a server refused what became this result. */
export const refusal = (result: CallResult, code: number): CallResult => {
  refused.set(result, code)
  return result
}

/** The code of the JSON-RPC error that was the answer; null where it was none. */
export const refusalCode = (exit: End): number | null =>
  Exit.isSuccess(exit) && exit.value.isError ? refused.get(exit.value) ?? null : null

/** The `outcome` of a call. */
export const outcome = (exit: End): "ok" | "tool-error" | "failed" | "stopped" => {
  if (Exit.isSuccess(exit)) return exit.value.isError ? "tool-error" : "ok"
  return Cause.hasInterruptsOnly(exit.cause) ? "stopped" : "failed"
}

/**
 * The `error.type` of OpenTelemetry's conventions: the code of a JSON-RPC error, `tool_error`, `cancelled`, or the name of
 * the reason. Null for a call that went well. Servers choose codes, so those that the protocol does not know are one.
 */
export const errorType = (exit: End): string | null => {
  if (Exit.isSuccess(exit)) {
    if (!exit.value.isError) return null
    const code = refused.get(exit.value)
    return code === undefined ? "tool_error" : isKnown(code) ? String(code) : OTHER
  }
  if (Cause.hasInterruptsOnly(exit.cause)) return "cancelled"
  const failed = exit.cause.reasons.find(Cause.isFailReason)
  return failed?.error instanceof McpError ? failed.error.reason._tag : OTHER
}

/** An error without a name of its own. */
export const OTHER = "_OTHER"

/** The range that JSON-RPC reserves, for itself and for servers. */
const isKnown = (code: number): boolean => code >= -32_768 && code <= -32_000
