/** The meaning of a message between nodes that gets no answer. */
import { ConnectionLost, type Exited, isReason, type McpErrorReason } from "@boocode/mcp-client/McpError"
import { ReasonJson } from "@boocode/mcp-client/Protocol"
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Cause from "effect/Cause"

/** The way to the server is gone and the server goes on elsewhere; what was under way may have happened. */
export const moved = (detail: string, more: { readonly unsent?: boolean } = {}): ConnectionLost =>
  new ConnectionLost({ happened: "the connection to the server's node was lost", detail, isMoved: true, ...more })

/**
 * The reason in a cause: the server's own, as its owner told it, or that the owner is gone, which ends what it was doing by
 * an interruption that is not ours.
 */
export const reasonOf = (cause: Cause.Cause<unknown>): McpErrorReason => {
  const failed = cause.reasons.find(Cause.isFailReason)
  if (failed === undefined) {
    const defect = cause.reasons.find(Cause.isDieReason)?.defect
    return moved(defect instanceof Error ? defect.message : "its node ended")
  }
  const { error } = failed
  if (isReason(error)) return error
  if (error instanceof Error) {
    const tag = Reflect.get(error, "_tag")
    return moved(error.message === "" ? String(tag) : error.message, tag === "MailboxFull" ? { unsent: true } : {})
  }
  return JsonRpc.isObject(error) ? ReasonJson.fromJson(error) : moved(String(error))
}

/** The end of a connection that was open. */
export const endOf = (reason: McpErrorReason): Exited | ConnectionLost =>
  reason._tag === "Exited" || reason._tag === "ConnectionLost" ? reason : new ConnectionLost({ detail: reason.message })
