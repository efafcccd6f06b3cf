/**
 * Everything that is known of one server at one moment, and how it is told to others.
 */
import type { ConfiguredServer } from "@boocode/mcp-config"
import { ToolGlob } from "@boocode/tool-glob"
import * as Result from "effect/Result"
import * as CleanText from "./CleanText.ts"
import type { Connection } from "./Connection.ts"
import { type Discovered, NOTHING } from "./Discovery.ts"
import * as Words from "./errors/Words.ts"
import { InvalidEntry, type McpErrorReason, NotApproved, Rejected, toStatusError, VariableUnset } from "./McpError.ts"
import type { RejectedTool } from "./McpTool.ts"
import * as Resend from "./Resend.ts"
import type { ServerAuth, ServerCapabilities, ServerState, ServerStatus } from "./shapes/ServerStatus.ts"
import type { StepTime } from "./StepTimes.ts"
import * as ToolDifference from "./trust/ToolDifference.ts"

/** One server at one moment. @category models */
export interface ServerSnapshot {
  readonly state: ServerState
  readonly reason: McpErrorReason | null
  /** Kept after a failure, so that the tools stay known (Decision 7). */
  readonly discovered: Discovered
  /** Only while ready, and not asleep. */
  readonly connection: Connection | null
  /** What the last connection said of how to use it, as others may see it. */
  readonly instructions: string | null
  /** What the last connection declared. */
  readonly capabilities: ServerCapabilities | null
  /** From which level on log messages are wanted; null where it declares no logging. */
  readonly logLevel: string | null
  /** How a person is signed in; null where nothing is known of that. */
  readonly auth: ServerAuth | null
  readonly listing: ReadonlyArray<string>
  /** How many pings in a row have gone without an answer. */
  readonly missedPings: number
  /** Whether one that is failed or asleep is tried again: being tried, soon (a call may hasten it), or at the slow pace. */
  readonly retry: "none" | "trying" | "soon" | "slowly"
  /** How many connections ended, or were tried in vain. */
  readonly attempts: number
  readonly connectMillis: number | null
  /** Of the last attempt at a connection that came to its end. */
  readonly steps: ReadonlyArray<StepTime>
  readonly restarts: number
}

/** A server that has said nothing, or of which nothing is to be known any more. @category constants */
export const UNKNOWN = { discovered: NOTHING, instructions: null, capabilities: null, logLevel: null } as const

/** A server before anything was tried. @category constructors */
export const initial = (entry: ConfiguredServer): ServerSnapshot => ({
  ...beginning(entry),
  ...UNKNOWN,
  connection: null,
  auth: null,
  listing: [],
  missedPings: 0,
  retry: "none",
  attempts: 0,
  connectMillis: null,
  steps: [],
  restarts: 0
})

/** How a server stands that nobody has started yet. @category getters */
export const beginning = (entry: ConfiguredServer): Pick<ServerSnapshot, "state" | "reason"> => {
  if (!entry.enabled) return { state: "disabled", reason: null }
  const problem = obstacle(entry)
  if (problem === null) return { state: "connecting", reason: null }
  return { state: isUndecided(problem) ? "needs-approval" : "failed", reason: problem }
}

/** What keeps an entry from being started at all; null when nothing does. @category getters */
export const obstacle = (entry: ConfiguredServer): InvalidEntry | VariableUnset | NotApproved | Rejected | null => {
  if (entry.needsApproval) {
    return entry.isRejected === true
      ? new Rejected({ server: entry.name })
      : new NotApproved({ server: entry.name, file: entry.source })
  }
  if (Result.isSuccess(entry.config)) return null
  const { _tag, hint, message } = entry.config.failure
  return _tag === "InvalidEntry"
    ? new InvalidEntry({ detail: message, try: hint })
    : new VariableUnset({ detail: message, try: hint })
}

const isUndecided = ({ _tag }: McpErrorReason): boolean => _tag === "NotApproved" || _tag === "Rejected"

/** A decision may have been made since the server came to its state. */
const reasonNow = (entry: ConfiguredServer, reason: McpErrorReason | null): McpErrorReason | null =>
  reason !== null && isUndecided(reason) ? obstacle(entry) ?? reason : reason

/** The state that a failure leads to. @category getters */
export const stateOf = (reason: McpErrorReason): ServerState =>
  NEEDS_AUTH.has(reason._tag) && !(reason._tag === "AuthorizationFailed" && reason.isTransient === true)
    ? "needs-auth"
    : "failed"

const NEEDS_AUTH: ReadonlySet<string> = new Set(["AuthRequired", "AuthRejected", "AuthorizationFailed"])

/** Whether what the server says of how to use it is to be passed on. @category predicates */
export const isHeard = ({ config }: ConfiguredServer): boolean =>
  Result.isSuccess(config) && config.success.instructions

const asksResources = ({ config }: ConfiguredServer): boolean =>
  Result.isSuccess(config) && config.success.ask.length > 0 && ToolGlob.compile(config.success.ask).allows("resources")

/** The status that others see. @category encoding */
export const toStatus = (entry: ConfiguredServer, snapshot: ServerSnapshot): ServerStatus => {
  const { connection, discovered } = snapshot
  const reason = reasonNow(entry, snapshot.reason)
  return {
    name: entry.name,
    transport: entry.transport,
    state: snapshot.state,
    source: entry.source,
    isTrusted: Resend.isBelieved(entry),
    tools: discovered.tools.length,
    undeclared: discovered.undeclared,
    asks: discovered.asks,
    asksResources: asksResources(entry),
    tokens: discovered.tokens,
    toolsChanged: toolsChanged(discovered),
    rejected: discovered.rejected.slice(0, MOST_REJECTED).map(leftOut),
    rejectedMore: Math.max(0, discovered.rejected.length - MOST_REJECTED),
    warnings: [
      ...entry.warnings,
      ...unsupported(entry),
      ...snapshot.listing,
      ...discovered.pins.warnings,
      ...silence(snapshot),
      ...connection?.diagnostics() ?? []
    ],
    protocolVersion: connection?.protocolVersion ?? null,
    serverInfo: connection?.serverInfo ?? null,
    instructions: isHeard(entry) ? snapshot.instructions : null,
    capabilities: snapshot.capabilities,
    logLevel: snapshot.logLevel,
    auth: snapshot.auth,
    pid: connection?.pid ?? null,
    idle: isAsleep(snapshot),
    connectMillis: snapshot.connectMillis,
    steps: snapshot.steps,
    restarts: snapshot.restarts,
    error: reason === null ? null : toStatusError(reason)
  }
}

/** A server may list thousands, and chooses how long their names are. */
const MOST_REJECTED = 100
const MOST_CHARACTERS = 200

const leftOut = ({ reason, tool }: RejectedTool) => ({
  tool: Words.capped(CleanText.clean(tool), MOST_CHARACTERS),
  reason: Words.capped(reason, MOST_CHARACTERS)
})

/** Whether nothing of the server runs although it may be called. @category predicates */
export const isAsleep = ({ connection, state }: ServerSnapshot): boolean => state === "ready" && connection === null

const toolsChanged = ({ listed, pins: { accept, difference } }: Discovered): number =>
  difference === null ? accept === null ? 0 : listed.length : ToolDifference.count(difference)

/** A server that missed a ping may be gone; its state says so only when it missed the next one too. */
const silence = ({ connection, missedPings }: ServerSnapshot): ReadonlyArray<string> =>
  connection === null || missedPings === 0
    ? []
    : ["it did not answer the last ping; if it misses the next one too, the connection is given up"]

/** Options that are read but not acted on; saying so is better than a person waiting for their effect. */
const unsupported = (entry: ConfiguredServer): ReadonlyArray<string> => {
  if (Result.isFailure(entry.config)) return []
  return entry.config.success.retry === "never" || Resend.isBelieved(entry) ? [] : [RETRY_OF_A_PROJECT]
}

const RETRY_OF_A_PROJECT =
  `"retry" has no effect in a project file: nothing is sent twice because its tools say that it does no harm`
