/** Which calls may be sent a second time: `"retry": "idempotent"` (docs/decisions.md#decision-8-nothing-is-sent-twice). */
import type { ServerLog } from "@boocode/mcp-client/Host"
import { type McpErrorReason, OutcomeUnknown } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isBelieved } from "../model/EntryTrust.ts"
import * as ToolClass from "../model/ToolClass.ts"
import type { Discovered } from "../tools/Discovery.ts"

/** How long the end of a connection may take to be known, once a call of it failed. */
export const GRACE = "300 millis"

/**
 * Whether an entry lets a tool be called twice for one call: it says so itself, and the tool that doing it again does no
 * harm. Tools of project files are not believed: their server could say so of anything (R73).
 */
export const mayRepeat = (
  entry: ConfiguredServer,
  { tools }: Discovered,
  tool: string
): boolean => {
  const { retry, trustAnnotations } = Result.getOrElse(entry.config, () => NEVER)
  const known = tools.find((one) => one.tool === tool)
  if (retry !== "idempotent" || !trustAnnotations || !isBelieved(entry) || known === undefined) return false
  const { idempotentHint, readOnlyHint } = known.annotations
  return idempotentHint === true || (readOnlyHint === true && !ToolClass.isWriter(known.class))
}

const NEVER = { retry: "never", trustAnnotations: false } as const

/** Whether the outcome of a call is unknown, or it was not sent. A limit that was exceeded is an answer. */
export const isUncertain = (reason: McpErrorReason): boolean =>
  reason._tag === "OutcomeUnknown" || (reason._tag === "ConnectionLost" && reason.unsent === true)

/** Says that a call is sent again, and why. */
export const tell = (log: ServerLog.ServerLog, server: string, tool: string, why: McpErrorReason) => {
  const text = `${tool} is called a second time: ${why.message}`
  return Effect.andThen(Effect.logInfo(`${server}: ${text}`), log.append("event", text))
}

/** A second failure of the same kind, in the words that fit it. */
export const asSecond = (reason: McpErrorReason): McpErrorReason =>
  reason._tag === "OutcomeUnknown"
    ? new OutcomeUnknown({ tool: reason.tool, why: reason.why, isRepeated: true })
    : reason
