/**
 * What the life of a server puts into its snapshot and into its log, and what is decided by it.
 */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type { Connection, Listing } from "./Connection.ts"
import * as Discovery from "./Discovery.ts"
import type { Flights } from "./Flights.ts"
import { type Manifest, Manifests } from "./Manifests.ts"
import { Exited, type McpErrorReason } from "./McpError.ts"
import type * as ProgressTeller from "./ProgressTeller.ts"
import * as RestartPolicy from "./RestartPolicy.ts"
import type * as Connect from "./rpc/Connect.ts"
import * as SelfDescription from "./SelfDescription.ts"
import * as ServerLog from "./ServerLog.ts"
import type { ServerNews } from "./ServerNews.ts"
import * as Snapshots from "./ServerSnapshot.ts"
import type { Standing } from "./Standing.ts"
import type * as StepTimes from "./StepTimes.ts"
import * as PinnedDiscovery from "./trust/PinnedDiscovery.ts"
import type { Wish } from "./Wish.ts"

/** What a life is led with. @category models */
export interface Options {
  readonly entry: ConfiguredServer
  readonly config: ServerConfig
  /** The names of all configured servers, as they are at the moment. */
  readonly servers: () => ReadonlyArray<string>
  readonly searchAfterPath: ReadonlyArray<string>
  readonly standing: Standing
  /** Ends the wait for the next attempt, and the sleep of a server that is not used. */
  readonly wish: Wish
  readonly flights: Flights
  readonly news: ServerNews
  /** Runs what is begun where nobody waits for it, as long as the registry is there. */
  readonly fork: ProgressTeller.Fork
  /** True where somebody wants the server now: then `lazy` makes no difference. */
  readonly isWanted: boolean
}

/** How far a life has come. @category models */
export interface Course {
  /** Of attempts in a row. */
  failures: number
  wasEverReady: boolean
  /** It slept and was woken: should that fail, nothing but the next call tries again. */
  isWoken: boolean
  /** It is started for nothing but its list of tools. */
  isListed: boolean
  /** How the next attempt greets a program. */
  greeting: Connect.Greeting
}

/** Says of a server that it is ready, in its snapshot and in its log. @category combinators */
export const ready = Effect.fnUntraced(function*(
  options: Options,
  connection: Connection,
  listing: Listing,
  steps: ReadonlyArray<StepTimes.StepTime>
) {
  const connectMillis = steps.reduce((sum, { millis }) => sum + millis, 0)
  const discovered = yield* listed(options, connection, listing)
  const count = countsOf(discovered)
  // Logged before it is told: who waits for it may end the program at once.
  yield* Effect.logInfo(`${options.config.name}: ready, ${count}, ${connectMillis} ms`)
  yield* ServerLog.event(`ready, ${count}, ${connectMillis} ms`)
  options.standing.set({
    state: "ready",
    reason: null,
    retry: "none",
    connection,
    // The names may have changed while this was logged.
    discovered: Discovery.among(discovered, options.config, options.servers()),
    instructions: SelfDescription.instructionsOf(connection),
    capabilities: SelfDescription.capabilitiesOf(connection),
    logLevel: connection.declares("logging") ? options.news.level : null,
    listing: listing.diagnostics,
    missedPings: 0,
    connectMillis,
    steps
  })
})

/** Says of a server that it failed, in its snapshot and in its log. @category combinators */
export const failed = Effect.fnUntraced(function*(
  options: Options,
  reason: McpErrorReason,
  log: typeof Effect.logWarning,
  course: Course,
  steps: ReadonlyArray<StepTimes.StepTime> | null = null
) {
  const before = options.standing.now
  // A server that is tried for ever says the same for ever; once is enough.
  const isNews = before.reason === null || wordsOf(before.reason) !== wordsOf(reason)
  yield* (isNews ? log : Effect.logDebug)(`${options.config.name}: ${reason.message}`)
  yield* ServerLog.event(`${Snapshots.stateOf(reason)}: ${reason.message}`)
  options.standing.set({
    state: Snapshots.stateOf(reason),
    reason,
    connection: null,
    attempts: options.standing.now.attempts + 1,
    ...(steps === null ? {} : { steps }),
    retry: isTriedAgain(options, reason, course) ? "trying" : "none"
  })
})

/** How long it took, how often, and the times and process ids in its words make the same end no other one. */
const wordsOf = (reason: McpErrorReason): string => {
  if (reason._tag !== "Exited" && reason._tag !== "CrashLoop") return reason.message
  const { exitCode, signal = null, stderr } = reason
  return new Exited({ during: "", exitCode, signal, stderr: stderr.replaceAll(/\d/g, "") }).message
}

/** How many tools there are, in words. @category getters */
export const countsOf = ({ rejected, tools }: Discovery.Discovered) =>
  `${tools.length} tools, ${rejected.length} rejected`

/** What discovery makes of tools as they were listed. @category combinators */
export const judge = ({ config, entry, servers }: Options, { serverInfo, tools }: Manifest, isMirrored = false) =>
  PinnedDiscovery.judge({ entry, config, tools, serverInfo, isMirrored }, servers)

const listed = Effect.fnUntraced(function*(options: Options, connection: Connection, { tools }: Listing) {
  const manifest = SelfDescription.manifestOf(connection, tools)
  yield* Effect.flatMap(Manifests, ({ remember }) => remember(options, { ...manifest, scrub: connection.scrub }))
  return yield* judge(options, manifest, connection.mirrorsArguments())
})

/** Takes over what was listed anew. @category combinators */
export const applyListing = Effect.fnUntraced(function*(options: Options, connection: Connection, listing: Listing) {
  const discovered = yield* listed(options, connection, listing)
  yield* ServerLog.event(`its tools changed: ${discovered.tools.length}, ${discovered.rejected.length} rejected`)
  options.standing.set({
    discovered: Discovery.among(discovered, options.config, options.servers()),
    listing: listing.diagnostics
  })
})

/**
 * `restart` is about a process that was ready and died; what never was ready is tried until it is, and a new connection to
 * an HTTP server restarts nothing (Decision 7).
 *
 * @category predicates
 */
export const isTriedAgain = ({ config }: Options, reason: McpErrorReason, { isWoken, wasEverReady }: Course): boolean =>
  !RestartPolicy.isPermanent(reason) &&
  (isWoken || !wasEverReady || isRemote(config) || config.restart === "on-failure")

/** Whether there is no process to restart. @category predicates */
export const isRemote = ({ transport }: ServerConfig): boolean => transport._tag !== "stdio"
