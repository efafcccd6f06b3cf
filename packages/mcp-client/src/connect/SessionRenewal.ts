/**
 * A connection whose inside is replaced when the server has forgotten the session, so that nothing above notices (R22).
 */
import type { LogLevel } from "@boocode/mcp-config"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as CallScope from "../base/CallScope.ts"
import type { Call, Connection, LogMessage } from "../contract/Connection.ts"
import { type ConnectionLost, type Exited, HttpStatus, type McpErrorReason } from "../errors/McpError.ts"
import * as Requests from "../rpc/Requests.ts"

/** A connection, and what it knows of its session. */
export interface Session {
  readonly connection: Connection
  /** Whether a failure means that the session is over, so that the request was surely not processed. */
  readonly endsSession: (reason: McpErrorReason) => boolean
  /** Whether the session is over already. */
  readonly isLost: () => boolean
}

export interface Options {
  readonly first: Effect.Effect<Session, McpErrorReason, Scope.Scope>
  /** Opens the next session. The server has answered before, so there is nothing left to find out. */
  readonly next: Effect.Effect<Session, McpErrorReason, Scope.Scope>
  /** How long opening the next session may last. */
  readonly limit: Duration.Duration
}

/**
 * Opens the first session. A request that finds its session gone is sent once more, on a new one; requests that find it
 * gone at the same time share that one. What still runs on the old one may end there.
 */
export const open = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Connection, McpErrorReason, Scope.Scope> {
  const scope = yield* Effect.scope
  const lost = yield* Deferred.make<Exited | ConnectionLost>()
  let listener = () => {}
  let onListChanged = (_: "prompts" | "resources") => {}
  let onResourceUpdated = (_: string) => {}
  let onLog = (_: LogMessage) => {}
  let watched: ReadonlyArray<string> = []
  let level: LogLevel | null = null
  let renewal: Deferred.Deferred<Generation, McpErrorReason> | null = null
  // Known before `current` is: a server may have something to tell as soon as it is listened to.
  let newest: Generation | null = null

  const adopt = Effect.fnUntraced(function*(opening: Options["first"]) {
    const generation = yield* begin(opening, scope)
    newest = generation
    generation.session.connection.onToolsChanged(() => generation === newest ? listener() : undefined)
    generation.session.connection.onListChanged((what) => generation === newest ? onListChanged(what) : undefined)
    generation.session.connection.onResourceUpdated((uri) => generation === newest ? onResourceUpdated(uri) : undefined)
    generation.session.connection.onLog((message) => generation === newest ? onLog(message) : undefined)
    const tell = Effect.flatMap(
      generation.session.connection.closed,
      (why) => generation === newest ? Deferred.succeed(lost, why) : Effect.void
    )
    yield* Effect.forkIn(tell, scope)
    return generation
  })
  let current: Generation = yield* adopt(options.first)

  /** The new session knows nothing of what was asked for on the old one; nobody else asks for it again. */
  const takeUp = Effect.fnUntraced(function*(generation: Generation) {
    const { connection } = generation.session
    const tell = <A>(ask: () => Effect.Effect<A, McpErrorReason>) =>
      Effect.timeoutOrElse(Effect.suspend(ask), {
        duration: options.limit,
        orElse: () => Effect.fail(expired("no answer in time"))
      }).pipe(
        Effect.retry({ schedule: AGAIN, while: ({ _tag }) => generation === current && _tag !== "RequestFailed" }),
        Effect.ignore
      )
    if (level !== null) yield* Effect.forkIn(tell(() => connection.setLogLevel(level)), generation.scope)
    if (watched.length === 0) return
    yield* tell(() => connection.watch(watched))
    for (const uri of watched) onResourceUpdated(uri)
  })
  const renew = Effect.gen(function*() {
    const old = current
    current = yield* adopt(options.next)
    renewal = null
    yield* Effect.logInfo("the server had forgotten the session; a new one is open")
    yield* Effect.forkIn(retire(old), scope)
    yield* Effect.forkIn(takeUp(current), current.scope)
    // A restarted server may offer other things.
    listener()
    onListChanged("prompts")
    onListChanged("resources")
    return current
  }).pipe(
    Effect.timeoutOrElse({ duration: options.limit, orElse: () => Effect.fail(expired("no answer in time")) }),
    Effect.catch((reason) => Effect.fail(isAboutCredentials(reason) ? reason : expired(reason.message))),
    Effect.ensuring(Effect.sync(() => {
      renewal = null
    }))
  )
  /**
   * Runs in a fiber of its own: whoever asked first may not want it any more before it is done. Nor may they leave between
   * saying that it runs and running it, or everybody would wait for nothing.
   */
  const renewed = (old: Generation): Effect.Effect<Generation, McpErrorReason> =>
    Effect.flatten(Effect.uninterruptible(Effect.suspend(() => {
      if (current !== old) return Effect.succeed(Effect.succeed(current))
      if (renewal !== null) return Effect.succeed(Deferred.await(renewal))
      const begun = Deferred.makeUnsafe<Generation, McpErrorReason>()
      renewal = begun
      return Effect.as(Effect.forkIn(Deferred.into(renew, begun), scope), Deferred.await(begun))
    })))
  /** Between two sessions nothing else would end a call. */
  const again = <A>(lost: Generation, run: Use<A>, onStarted: Call["onStarted"]) =>
    Requests.aroundEnding(onStarted, Effect.flatMap(renewed(lost), (next) => within(next, run)))
  const use = <A>(run: Use<A>, onStarted?: Call["onStarted"]) =>
    Effect.suspend(() => {
      const found = current
      if (found.session.isLost()) return again(found, run, onStarted)
      return Effect.catchIf(within(found, run), found.session.endsSession, () => again(found, run, onStarted))
    })
  return {
    get protocolVersion() {
      return current.session.connection.protocolVersion
    },
    get serverInfo() {
      return current.session.connection.serverInfo
    },
    get instructions() {
      return current.session.connection.instructions
    },
    pid: null,
    listTools: use(({ listTools }) => listTools),
    call: (call) => use((connection) => connection.call(call), call.onStarted),
    declares: (capability) => current.session.connection.declares(capability),
    list: (kind) => use((connection) => connection.list(kind)),
    inquire: (inquiry) => use((connection) => connection.inquire(inquiry)),
    ping: use(({ ping }) => ping),
    traffic: () => current.session.connection.traffic(),
    onToolsChanged: (next) => {
      listener = next
    },
    onListChanged: (next) => {
      onListChanged = next
    },
    tellsOf: (what) => current.session.connection.tellsOf(what),
    watch: (uris) =>
      Effect.suspend(() => {
        watched = uris
        return use((connection) => connection.watch(uris))
      }),
    onResourceUpdated: (next) => {
      onResourceUpdated = next
    },
    setLogLevel: (next) =>
      Effect.suspend(() => {
        level = next
        return use((connection) => connection.setLogLevel(next))
      }),
    onLog: (next) => {
      onLog = next
    },
    mirrorsArguments: () => current.session.connection.mirrorsArguments(),
    closed: Deferred.await(lost),
    diagnostics: () => current.session.connection.diagnostics(),
    stderr: () => current.session.connection.stderr(),
    scrub: (text) => current.session.connection.scrub(text)
  }
})

/** How often what a new session has to know is told again, where that failed. */
const AGAIN = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")])

/** A session and the requests that run on it. */
interface Generation {
  readonly session: Session
  readonly scope: Scope.Closeable
  readonly idle: Effect.Effect<void>
  running: number
  isRetired: boolean
  /** To be told when one of its requests has ended, however it ended. */
  readonly leave: () => void
}

const begin = Effect.fnUntraced(function*(
  opening: Options["first"],
  parent: Scope.Scope
): Effect.fn.Return<Generation, McpErrorReason> {
  const scope = yield* Scope.fork(parent)
  const session = yield* Scope.provide(opening, scope).pipe(
    Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))
  )
  const idle = Deferred.makeUnsafe<void>()
  const leave = () => {
    generation.running--
    if (generation.isRetired && generation.running === 0) Deferred.doneUnsafe(idle, Effect.void)
  }
  const generation: Generation = { session, scope, idle: Deferred.await(idle), running: 0, isRetired: false, leave }
  return generation
})

type Use<A> = (connection: Connection) => Effect.Effect<A, McpErrorReason>

/** Each call comes by here, so what leaving takes was made beforehand. */
const within = <A>(generation: Generation, run: Use<A>): Effect.Effect<A, McpErrorReason> =>
  CallScope.around((parting) => {
    generation.running++
    parting.add(generation.leave)
    return run(generation.session.connection)
  })

/** Closes a session when the last request on it has ended. */
const retire = (generation: Generation) =>
  Effect.suspend(() => {
    generation.isRetired = true
    const idle = generation.running === 0 ? Effect.void : generation.idle
    return Effect.andThen(idle, Scope.close(generation.scope, Exit.void))
  })

const isAboutCredentials = ({ _tag }: McpErrorReason): boolean =>
  _tag === "AuthRequired" || _tag === "AuthRejected" || _tag === "AuthorizationFailed"

/** The request itself was not processed, whatever stands in the way of a new session. */
const expired = (why: string) =>
  new HttpStatus({
    method: "the session",
    code: 404,
    detail: `it has expired, and a new one could not be opened: ${why}`
  })
