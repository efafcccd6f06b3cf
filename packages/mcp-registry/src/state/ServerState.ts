/** One server at one moment, and how each event changes it. Pure: the whole life of a server can be read here. */
import type { Connection } from "@boocode/mcp-client/Connection"
import {
  InvalidEntry,
  type McpErrorReason,
  NotApproved,
  Rejected,
  TokenNeeded,
  VariableUnset
} from "@boocode/mcp-client/McpError"
import type { ServerAuth } from "@boocode/mcp-client/Schemas"
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Result from "effect/Result"
import type { ServerCapabilities, ServerStatus } from "../model/ServerStatus.ts"
import type { StepTime } from "../model/ServerStatus.ts"
import { type Discovered, NOTHING } from "../tools/Discovery.ts"
import * as RestartPolicy from "./RestartPolicy.ts"

/** Everything that a server says of itself when it connects. It stays known while the server is away. */
export interface Knowledge {
  readonly discovered: Discovered
  /** How to use it, in its own words, cleaned. */
  readonly instructions: string | null
  readonly capabilities: ServerCapabilities | null
  /** The least level of the log messages that it is asked for; null where it declares no logging. */
  readonly logLevel: string | null
}

export type Phase =
  | { readonly _tag: "Disabled" }
  | { readonly _tag: "Connecting" }
  | {
    readonly _tag: "Ready"
    readonly connection: Connection
    /** How many pings in a row went without an answer. */
    readonly missedPings: number
  }
  /** Nothing is connected. The next call wakes it; while it `isWaking`, a call waits for the connection. */
  | { readonly _tag: "Asleep"; readonly isWaking: boolean }
  | {
    readonly _tag: "Failed"
    readonly reason: McpErrorReason
    /** When it is tried again: it is being tried, soon (a call hastens it), slowly, or not at all. */
    readonly retry: "trying" | "soon" | "slowly" | "none"
  }
  | { readonly _tag: "Stopped" }
  /** The scope of the server is closing. No event changes that. */
  | { readonly _tag: "Closed" }

export interface ServerState extends Knowledge {
  /** The entry as it is now. The server may have been started with an equal one. */
  readonly entry: ConfiguredServer
  readonly phase: Phase
  /** How the user is signed in; null where no OAuth is known. */
  readonly auth: ServerAuth | null
  /** Faults of the last listing. */
  readonly diagnostics: ReadonlyArray<string>
  /** How many connections were lost or could not be opened. */
  readonly failures: number
  readonly connectMillis: number | null
  /** The steps of the last attempt that came to an end. */
  readonly steps: ReadonlyArray<StepTime>
  readonly restarts: number
  /** How long the start that goes on may take, because it may download the program; null for one with the usual limit. */
  readonly downloadMillis: number | null
}

export type ServerEvent =
  /** Somebody starts it. */
  | { readonly _tag: "Launched" }
  /** A start begins that may download the program, and may take so long. */
  | { readonly _tag: "Downloading"; readonly limitMillis: number }
  /** A lazy server sleeps, with what it said in an earlier run. */
  | { readonly _tag: "Recalled"; readonly knowledge: Knowledge }
  | {
    readonly _tag: "Opened"
    readonly connection: Connection
    readonly knowledge: Knowledge
    readonly diagnostics: ReadonlyArray<string>
    readonly steps: ReadonlyArray<StepTime>
  }
  /** This connection listed its tools again. */
  | {
    readonly _tag: "Listed"
    readonly connection: Connection
    readonly discovered: Discovered
    readonly diagnostics: ReadonlyArray<string>
  }
  /** The tools that were listed last were judged again, for other names or pins. */
  | { readonly _tag: "Judged"; readonly discovered: Discovered }
  | {
    readonly _tag: "Lost"
    readonly reason: McpErrorReason
    /** Null leaves those of the attempt before. */
    readonly steps: ReadonlyArray<StepTime> | null
    readonly isTriedAgain: boolean
  }
  | { readonly _tag: "Slept" }
  /** A call wakes it. */
  | { readonly _tag: "Woken" }
  /** The pause before the next attempt begins. */
  | { readonly _tag: "Waiting"; readonly pace: "soon" | "slowly" }
  /** The next attempt begins. `isRestart`: its process had been ready. */
  | { readonly _tag: "Retried"; readonly isRestart: boolean }
  | { readonly _tag: "PingsMissed"; readonly count: number }
  | { readonly _tag: "AuthChanged"; readonly auth: ServerAuth | null }
  | { readonly _tag: "LevelChanged"; readonly level: string }
  | { readonly _tag: "EntryChanged"; readonly entry: ConfiguredServer }
  /** Somebody stopped it; its tools are forgotten. */
  | { readonly _tag: "Stopped" }
  | { readonly _tag: "Closed" }

const UNKNOWN: Knowledge = { discovered: NOTHING, instructions: null, capabilities: null, logLevel: null }

/** A server before its first event. An enabled entry without an obstacle is connecting. */
export const initial = (entry: ConfiguredServer): ServerState => ({
  ...UNKNOWN,
  entry,
  phase: firstPhase(entry),
  auth: null,
  diagnostics: [],
  failures: 0,
  connectMillis: null,
  steps: [],
  restarts: 0,
  downloadMillis: null
})

const firstPhase = (entry: ConfiguredServer): Phase => {
  if (!entry.enabled) return { _tag: "Disabled" }
  const reason = obstacle(entry)
  return reason === null ? { _tag: "Connecting" } : { _tag: "Failed", reason, retry: "none" }
}

/** The state after the event. An event that does not fit the state leaves it as it is. */
export const next = (state: ServerState, event: ServerEvent): ServerState => {
  const { phase } = state
  if (phase._tag === "Closed") return state
  switch (event._tag) {
    case "Launched":
      return { ...state, phase: { _tag: "Connecting" } }
    case "Stopped":
    case "Closed":
      return { ...state, ...event._tag === "Stopped" ? UNKNOWN : {}, phase: { _tag: event._tag } }
    case "AuthChanged":
      return { ...state, auth: event.auth }
    case "EntryChanged":
      return afterEntry(state, event.entry)
    case "LevelChanged":
      return state.capabilities?.logging === true ? { ...state, logLevel: event.level } : state
    case "Judged":
      return state.discovered.listed === event.discovered.listed ? { ...state, discovered: event.discovered } : state
    case "Listed":
      return connectionOf(state) === event.connection
        ? { ...state, discovered: event.discovered, diagnostics: event.diagnostics }
        : state
    case "PingsMissed":
      return phase._tag === "Ready" ? { ...state, phase: { ...phase, missedPings: event.count } } : state
    default:
      // A life that is being ended may still report.
      return phase._tag === "Stopped" ? state : afterLife(state, event)
  }
}

type LifeEvent = Extract<
  ServerEvent,
  { _tag: "Downloading" | "Recalled" | "Opened" | "Lost" | "Slept" | "Woken" | "Waiting" | "Retried" }
>

const afterLife = (state: ServerState, event: LifeEvent): ServerState => {
  const { phase } = state
  switch (event._tag) {
    case "Downloading":
      return { ...state, downloadMillis: event.limitMillis }
    case "Recalled":
      return { ...state, ...event.knowledge, phase: { _tag: "Asleep", isWaking: false } }
    case "Opened":
      return {
        ...state,
        ...event.knowledge,
        phase: { _tag: "Ready", connection: event.connection, missedPings: 0 },
        diagnostics: event.diagnostics,
        connectMillis: event.steps.reduce((sum, { millis }) => sum + millis, 0),
        steps: event.steps,
        downloadMillis: null
      }
    case "Lost":
      return {
        ...state,
        phase: { _tag: "Failed", reason: event.reason, retry: event.isTriedAgain ? "trying" : "none" },
        failures: state.failures + 1,
        steps: event.steps ?? state.steps,
        downloadMillis: null
      }
    case "Slept":
      return { ...state, phase: { _tag: "Asleep", isWaking: false } }
    case "Woken":
      return phase._tag === "Asleep" ? { ...state, phase: { ...phase, isWaking: true } } : state
    case "Waiting":
      return phase._tag === "Failed" ? { ...state, phase: { ...phase, retry: event.pace } } : state
    case "Retried":
      return {
        ...state,
        phase: phase._tag === "Failed" ? { ...phase, retry: "trying" } : phase,
        restarts: state.restarts + (event.isRestart ? 1 : 0)
      }
  }
}

/** Nothing runs of a broken entry, so its mistake is its phase. */
const afterEntry = (state: ServerState, entry: ConfiguredServer): ServerState => {
  const isOtherMistake = Result.isFailure(entry.config) &&
    obstacle(entry)?.message !== obstacle(state.entry)?.message
  return { ...state, entry, phase: isOtherMistake ? firstPhase(entry) : state.phase }
}

type Obstacle = InvalidEntry | VariableUnset | TokenNeeded | NotApproved | Rejected

/** The reason why an entry cannot be started at all; null where it can. */
export const obstacle = (entry: ConfiguredServer): Obstacle | null => {
  if (entry.needsApproval) {
    return entry.isRejected === true
      ? new Rejected({ server: entry.name })
      : new NotApproved({ server: entry.name, file: entry.source })
  }
  if (Result.isSuccess(entry.config)) return null
  const { failure } = entry.config
  const { _tag, hint, message } = failure
  if (_tag === "VariableUnset" && failure.own !== null) {
    return new TokenNeeded({ server: entry.name, name: failure.own })
  }
  return _tag === "InvalidEntry"
    ? new InvalidEntry({ detail: message, try: hint })
    : new VariableUnset({ detail: message, try: hint })
}

/** Null unless it is ready and awake. */
export const connectionOf = ({ phase }: ServerState): Connection | null =>
  phase._tag === "Ready" ? phase.connection : null

/** Whether it sleeps, or a call is waking it. */
export const isAsleep = ({ phase }: ServerState): boolean => phase._tag === "Asleep"

/** Whether nothing of it runs although it may be called. */
export const isIdle = ({ phase }: ServerState): boolean => phase._tag === "Asleep" && !phase.isWaking

/** Whether it is connected, or nothing that a caller does makes it run. */
export const isSettled = ({ phase }: ServerState): boolean => {
  if (phase._tag === "Failed") return phase.retry === "none" || phase.retry === "slowly"
  return phase._tag !== "Asleep" && phase._tag !== "Connecting"
}

export const isClosed = ({ phase }: ServerState): boolean => phase._tag === "Closed"

/** Why it failed, as its entry stands now; null unless it failed. */
export const reasonOf = ({ entry, phase }: ServerState): McpErrorReason | null => {
  if (phase._tag !== "Failed") return null
  const { reason } = phase
  // A decision may have been made since.
  return isUndecided(reason) ? obstacle(entry) ?? reason : reason
}

/** The state as others see it. A server that goes on elsewhere did not fail: it is connected to there. */
export const stateOf = (state: ServerState): ServerStatus["state"] => {
  const { phase } = state
  switch (phase._tag) {
    case "Disabled":
      return "disabled"
    case "Connecting":
      return "connecting"
    case "Ready":
    case "Asleep":
      return "ready"
    case "Failed":
      return RestartPolicy.isMoved(phase.reason) && !isSettled(state) ? "connecting" : stateAfter(phase.reason)
    case "Stopped":
    case "Closed":
      return "stopped"
  }
}

export const stateAfter = (reason: McpErrorReason): "needs-approval" | "needs-auth" | "failed" => {
  if (isUndecided(reason)) return "needs-approval"
  const isTransient = reason._tag === "AuthorizationFailed" && reason.isTransient === true
  return NEEDS_AUTH.has(reason._tag) && !isTransient ? "needs-auth" : "failed"
}

const isUndecided = ({ _tag }: McpErrorReason): boolean => _tag === "NotApproved" || _tag === "Rejected"

const NEEDS_AUTH: ReadonlySet<string> = new Set(["AuthRequired", "AuthRejected", "AuthorizationFailed", "TokenNeeded"])
