/** The reason of a failed attempt, with the step, the output and the number of failures that only the attempt knows. */
import type { Attempt } from "@boocode/mcp-client/Connect"
import {
  AT_WORK,
  ConnectionLost,
  CrashLoop,
  Exited,
  HandshakeFailed,
  HandshakeTimeout,
  isReason,
  ListFailed,
  type McpErrorReason,
  type MessageTooLarge
} from "@boocode/mcp-client/McpError"
import { SILENCE, UNREAD } from "@boocode/mcp-client/Protocol"
import { networkError } from "@boocode/mcp-client/Text"
import type { ServerConfig } from "@boocode/mcp-config"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as RestartPolicy from "./RestartPolicy.ts"
import * as StartLimit from "./StartLimit.ts"

const LISTING = "tools/list"

/** The attempt went past `startupTimeout`. */
export const tookTooLong = (config: ServerConfig, attempt: Attempt): McpErrorReason => {
  const limitMillis = Duration.toMillis(config.startupTimeout)
  const { step: method } = attempt
  const stderr = attempt.stderr()
  if (method === LISTING) {
    const advice = adviceOnNetwork(stderr)
    const common = { method, detail: "no answer in time", code: null, limitMillis, stderr }
    return new ListFailed(advice === null ? common : { ...common, try: advice })
  }
  const said = attempt.said()
  const advice = adviceOnSilence(config, said, stderr)
  return new HandshakeTimeout({ method, limitMillis, stderr, said, ...advice === null ? {} : { try: advice } })
}

/** Null when nothing but waiting or looking helps. */
const adviceOnSilence = (config: ServerConfig, said: ReadonlyArray<string>, stderr: string): string | null => {
  if (config.transport._tag !== "stdio") {
    return `check that the url is that of an MCP server; if it is only slow, raise "startupTimeout"`
  }
  if (said.some((line) => line.startsWith(UNREAD))) {
    return `it does not understand what it is sent: try "protocol": "legacy", or update the server`
  }
  const network = adviceOnNetwork(stderr)
  if (network !== null) return network
  if (said.some((line) => !line.startsWith(SILENCE))) {
    return "standard output is for MCP messages alone: is this an MCP server, and does it need an argument to be one?"
  }
  const command = StartLimit.downloader(config)
  return command !== null
    ? `${command} may still be downloading it: run it by hand once, or raise "startupTimeout"`
    : null
}

/** More time would not help. Null where standard error names no such error. */
const adviceOnNetwork = (stderr: string): string | null => {
  const name = networkError(stderr)
  return name === null
    ? null
    : `its standard error names a network error (${name}): check the network, the proxy and the addresses that it uses`
}

/** The tools could not be listed. */
export const ofListing = (reason: McpErrorReason, attempt: Attempt): McpErrorReason => {
  const common = { limitMillis: null, stderr: attempt.stderr() }
  if (reason._tag === "RequestFailed") {
    return new ListFailed({ method: reason.method, detail: reason.detail, code: reason.code, ...common })
  }
  if (reason._tag !== "MessageTooLarge") return reason
  return new ListFailed({ method: LISTING, ...tooLarge(reason), code: null, ...common })
}

/** A client cannot ask a server to say less at its start. */
const tooLarge = (reason: MessageTooLarge) => ({
  detail: reason.message,
  try: `raise "maxMessageBytes" of the entry, or have the server say less`
})

export const ofCause = (cause: Cause.Cause<unknown>, attempt: Attempt): McpErrorReason => {
  const error = Cause.squash(cause)
  return isReason(error) ? error : ofDefect(error, attempt)
}

/** An attempt of which nothing is known: what broke was the life around it. */
export const UNKNOWN: Attempt = { step: AT_WORK, elapsed: () => 0, stderr: () => "", said: () => [] }

/** A defect of ours, in words: a server must not stay connecting because of it. */
const ofDefect = (defect: unknown, attempt: Attempt): McpErrorReason =>
  new HandshakeFailed({
    method: attempt.step,
    detail: defect instanceof Error ? defect.message : String(defect),
    code: null,
    stderr: attempt.stderr(),
    try: "this is a fault of BooCode, not of the server: please report it"
  })

/** Adds during which step it came, what was written, and that it keeps coming. */
export const judge = (reason: McpErrorReason, attempt: Attempt, failures: number): McpErrorReason => {
  switch (reason._tag) {
    case "HandshakeFailed":
      return new HandshakeFailed({ ...reason, stderr: attempt.stderr() })
    case "MessageTooLarge":
      return new HandshakeFailed({ method: attempt.step, ...tooLarge(reason), code: null, stderr: attempt.stderr() })
    case "ConnectionLost":
      return atStep(reason, attempt)
    case "Exited":
      return failures >= RestartPolicy.FAST_ATTEMPTS ? loop(reason, attempt, failures) : ended(reason, attempt)
    default:
      return reason
  }
}

const atStep = (reason: ConnectionLost, { step }: Attempt): ConnectionLost =>
  reason.happened !== undefined || step === AT_WORK
    ? reason
    : new ConnectionLost({ ...reason, happened: `the connection was lost during ${step}` })

const loop = ({ exitCode, signal, stderr }: Exited, { said, step }: Attempt, failures: number): CrashLoop =>
  new CrashLoop({ restarts: failures, exitCode, signal, stderr, during: step, said: said() })

const ended = (reason: Exited, attempt: Attempt): Exited =>
  new Exited({ ...reason, during: attempt.step, afterMillis: attempt.elapsed(), said: attempt.said() })
