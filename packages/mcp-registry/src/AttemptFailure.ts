/**
 * What a failed attempt at a connection means: adds to a reason what only the one who tried knows.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { CrashLoop, Exited, HandshakeFailed, HandshakeTimeout, ListFailed, McpErrorReason } from "./McpError.ts"
import * as RestartPolicy from "./RestartPolicy.ts"
import type { Attempt } from "./sdk/Connect.ts"

/** The attempt went past `startupTimeout`. @category constructors */
export const tookTooLong = (config: ServerConfig, attempt: Attempt): McpErrorReason => {
  const limitMillis = Duration.toMillis(config.startupTimeout)
  const stderr = attempt.stderr()
  return attempt.step === "tools/list"
    ? new ListFailed({ method: attempt.step, detail: "no answer in time", code: null, limitMillis, stderr })
    : new HandshakeTimeout({ method: attempt.step, limitMillis, stderr, said: attempt.said() })
}

/** The tools could not be listed. @category constructors */
export const ofListing = (reason: McpErrorReason, attempt: Attempt): McpErrorReason =>
  reason._tag === "RequestFailed"
    ? new ListFailed({
      method: reason.method,
      detail: reason.detail,
      code: reason.code,
      limitMillis: null,
      stderr: attempt.stderr()
    })
    : reason

const isReason = Schema.is(McpErrorReason)

/** Whatever ended the attempt, a defect of ours included. @category constructors */
export const ofCause = (cause: Cause.Cause<unknown>, attempt: Attempt): McpErrorReason => {
  const error = Cause.squash(cause)
  return isReason(error) ? error : ofDefect(error, attempt)
}

/** A defect of ours, in words: a server must not stay connecting because of it. @category constructors */
export const ofDefect = (defect: unknown, attempt: Attempt): McpErrorReason =>
  new HandshakeFailed({
    method: attempt.step,
    detail: defect instanceof Error ? defect.message : String(defect),
    code: null,
    stderr: attempt.stderr()
  })

/** Adds during which step it came, what was written, and that it keeps coming. @category constructors */
export const judge = (reason: McpErrorReason, attempt: Attempt, failures: number): McpErrorReason => {
  if (reason._tag === "HandshakeFailed") return new HandshakeFailed({ ...reason, stderr: attempt.stderr() })
  if (reason._tag !== "Exited") return reason
  if (failures >= RestartPolicy.FAST_ATTEMPTS) {
    return new CrashLoop({ restarts: failures, exitCode: reason.exitCode, stderr: reason.stderr })
  }
  return new Exited({ ...reason, during: attempt.step, afterMillis: attempt.elapsed() })
}
