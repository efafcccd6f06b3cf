/**
 * How one server stands at the moment, and who is told when that changes: what a `SubscriptionRef` would be, at a tenth of
 * its memory. There is one for each server, and most have one listener all their life.
 */
import type { Connection } from "@boocode/mcp-client/Connection"
import {
  InvalidEntry,
  type McpErrorReason,
  NotApproved,
  Rejected,
  toStatusError,
  VariableUnset
} from "@boocode/mcp-client/McpError"
import type { ServerAuth } from "@boocode/mcp-client/Schemas"
import { CleanText, ErrorWords } from "@boocode/mcp-client/Text"
import type { ConfiguredServer } from "@boocode/mcp-config"
import { ToolGlob } from "@boocode/tool-glob"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as EntryTrust from "../model/EntryTrust.ts"
import type { RejectedTool } from "../model/McpTool.ts"
import type { ServerCapabilities, ServerState, ServerStatus } from "../model/ServerStatus.ts"
import type { StepTime } from "../model/StepTimes.ts"
import { type Discovered, NOTHING } from "../tools/Discovery.ts"
import type { Manifest } from "../tools/Manifest.ts"
import * as ToolDifference from "../trust/ToolDifference.ts"

/** Is told of a change in the middle of it, so it had better be brief. @category models */
export type Listener = (snapshot: ServerSnapshot) => void

/** The snapshot of one server as it changes. @category models */
export class Standing {
  private snapshot: ServerSnapshot
  /** Another list at each change, so that whoever is being told may leave. */
  private listeners: ReadonlyArray<Listener> = NOBODY

  constructor(snapshot: ServerSnapshot) {
    this.snapshot = snapshot
  }

  get now(): ServerSnapshot {
    return this.snapshot
  }
  /** Changes some of it, and tells whoever listens. */
  set(change: Partial<ServerSnapshot>): void {
    this.snapshot = { ...this.snapshot, ...change }
    for (const listener of this.listeners) listener(this.snapshot)
  }
  /** The same, for whoever describes what is to be done. */
  update(change: (now: ServerSnapshot) => Partial<ServerSnapshot> | null): Effect.Effect<void> {
    return Effect.sync(() => {
      const next = change(this.snapshot)
      if (next !== null) this.set(next)
    })
  }
  /** Tells of each change from now on; gives what ends that. */
  listen(listener: Listener): () => void {
    this.listeners = this.listeners.concat(listener)
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener)
    }
  }
  /** Waits until it is as wanted, at once where it is. */
  until(isWanted: (snapshot: ServerSnapshot) => boolean): Effect.Effect<ServerSnapshot> {
    return Effect.callback((resume) => {
      if (isWanted(this.snapshot)) return resume(Effect.succeed(this.snapshot))
      const leave = this.listen((snapshot) => {
        if (!isWanted(snapshot)) return
        leave()
        // Not in the middle of what changed it.
        resume(Effect.as(Effect.yieldNow, snapshot))
      })
      return Effect.sync(leave)
    })
  }
  /** As it is now, and at each change. */
  get changes(): Stream.Stream<ServerSnapshot> {
    return Stream.callback((queue) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          Queue.offerUnsafe(queue, this.snapshot)
          return this.listen((snapshot) => void Queue.offerUnsafe(queue, snapshot))
        }),
        (leave) => Effect.sync(leave)
      )
    )
  }
}

const NOBODY: ReadonlyArray<Listener> = []

// What a server says about itself once it is connected: what it can do, and how it wants to be used.

/** More of its instructions is not kept, in characters. @category constants */
export const MOST_INSTRUCTIONS = 4000

/** What it declares. @category getters */
export const capabilitiesOf = (connection: Pick<Connection, "declares">): ServerCapabilities => ({
  tools: connection.declares("tools"),
  prompts: connection.declares("prompts"),
  resources: connection.declares("resources"),
  subscribe: connection.declares("subscribe"),
  completions: connection.declares("completions"),
  logging: connection.declares("logging")
})

/**
 * Its instructions as others may see them: nothing in them hides, deceives or gives a secret away, and a mark says where
 * they were cut. Null where it gives none (R105).
 *
 * @category getters
 */
export const instructionsOf = ({ instructions, scrub }: Pick<Connection, "instructions" | "scrub">): string | null => {
  if (instructions === null) return null
  const text = scrub(instructions).trim()
  if (text.length <= MOST_INSTRUCTIONS) return text === "" ? null : text
  // A cut may fall between the halves of a character.
  return `${text.slice(0, MOST_INSTRUCTIONS - CUT.length).toWellFormed().replace(/\uFFFD$/, "").trimEnd()}${CUT}`
}

/** What is to be known of a server that does not run. @category constructors */
export const manifestOf = (connection: Connection, tools: Manifest["tools"]): Manifest => ({
  tools,
  serverInfo: connection.serverInfo,
  instructions: instructionsOf(connection),
  capabilities: capabilitiesOf(connection)
})

const CUT = "\n[the rest is left out]"

// Everything that is known of one server at one moment, and how it is told to others.

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
export const initialSnapshot = (entry: ConfiguredServer): ServerSnapshot => ({
  ...beginningSnapshot(entry),
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
export const beginningSnapshot = (entry: ConfiguredServer): Pick<ServerSnapshot, "state" | "reason"> => {
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
    isTrusted: EntryTrust.isBelieved(entry),
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
  tool: ErrorWords.capped(CleanText.clean(tool), MOST_CHARACTERS),
  reason: ErrorWords.capped(reason, MOST_CHARACTERS)
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
  return entry.config.success.retry === "never" || EntryTrust.isBelieved(entry) ? [] : [RETRY_OF_A_PROJECT]
}

const RETRY_OF_A_PROJECT =
  `"retry" has no effect in a project file: nothing is sent twice because its tools say that it does no harm`
