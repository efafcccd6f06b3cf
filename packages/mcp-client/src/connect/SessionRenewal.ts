/** A connection that opens a new session when the server has forgotten the old one, so that nothing above notices (R22). */
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
import * as SharedRenewal from "../http/SharedRenewal.ts"
import { both, ChangeListeners } from "../rpc/Notifications.ts"
import * as Requests from "../rpc/Requests.ts"

export interface Session {
  readonly connection: Connection
  /** Whether a failure means that the session is over, so that the request was surely not processed. */
  readonly endsSession: (reason: McpErrorReason) => boolean
  readonly isLost: () => boolean
}

type Opening = Effect.Effect<Session, McpErrorReason, Scope.Scope>

export interface Options {
  readonly first: Opening
  /** Opens the next session. The server has answered before, so its era is known. */
  readonly next: Opening
  /** How long opening the next session may last. */
  readonly limit: Duration.Duration
}

/**
 * Opens the first session. A request that finds its session gone is sent once more, on a new one; requests that find it
 * gone at the same time share that one. Requests that still run on the old session may end there.
 */
export const open = Effect.fnUntraced(function*(
  { first, limit, next }: Options
): Effect.fn.Return<Connection, McpErrorReason, Scope.Scope> {
  const scope = yield* Effect.scope
  const lost = yield* Deferred.make<Exited | ConnectionLost>()
  const renewal = SharedRenewal.make<Generation, McpErrorReason>((work) => Effect.forkIn(work, scope))
  const wanted: Wanted = { ...NOTHING, tools: new ChangeListeners() }
  // Known before `current` is: a server may have something to tell as soon as it is listened to.
  let newest: Generation | null = null

  const adopt = Effect.fnUntraced(function*(opening: Opening) {
    const generation = yield* begin(opening, scope)
    newest = generation
    listen(generation.session.connection, wanted, () => generation === newest)
    const tell = Effect.flatMap(
      generation.session.connection.closed,
      (why) => generation === newest ? Deferred.succeed(lost, why) : Effect.void
    )
    yield* Effect.forkIn(tell, scope)
    return generation
  })
  let current = yield* adopt(first)

  const inTime = <A>(work: Effect.Effect<A, McpErrorReason>) =>
    Effect.timeoutOrElse(work, { duration: limit, orElse: () => Effect.fail(expired("no answer in time")) })
  /** Tells the new session what was asked for on the old one. */
  const takeUp = Effect.fnUntraced(function*(generation: Generation) {
    const { connection } = generation.session
    const tell = <A>(ask: () => Effect.Effect<A, McpErrorReason>) =>
      inTime(Effect.suspend(ask)).pipe(
        Effect.retry({ schedule: AGAIN, while: ({ _tag }) => generation === current && _tag !== "RequestFailed" }),
        Effect.ignore
      )
    const { level, watched } = wanted
    if (level !== null) yield* Effect.forkIn(tell(() => connection.setLogLevel(wanted.level)), generation.scope)
    if (watched.length === 0) return
    yield* tell(() => connection.watch(wanted.watched))
    for (const uri of wanted.watched) wanted.onResourceUpdated(uri)
  })
  const renewed = (old: Generation) =>
    Effect.gen(function*() {
      if (current !== old) return current
      current = yield* adopt(next)
      yield* Effect.logInfo("the server had forgotten the session; a new one is open")
      yield* Effect.forkIn(retire(old), scope)
      yield* Effect.forkIn(takeUp(current), current.scope)
      // A server that has been restarted may offer other things.
      wanted.tools.tell()
      wanted.onListChanged("prompts")
      wanted.onListChanged("resources")
      return current
    }).pipe(
      inTime,
      Effect.catch((reason) => Effect.fail(isAboutCredentials(reason) ? reason : expired(reason.message)))
    )
  /** The renewal that is under way may be the one that brought the old session. */
  const after = (old: Generation): Effect.Effect<Generation, McpErrorReason> =>
    Effect.suspend(() =>
      current === old
        ? Effect.flatMap(renewal.run(renewed(old)), (found) => found === old ? after(old) : Effect.succeed(found))
        : Effect.succeed(current)
    )
  /** Between two sessions nothing else would end a call. */
  const again = <A>(old: Generation, run: Use<A>, onStarted: Call["onStarted"]) =>
    Requests.aroundEnding(onStarted, Effect.flatMap(after(old), (found) => within(found, run)))
  const use = <A>(run: Use<A>, onStarted?: Call["onStarted"]) =>
    Effect.suspend(() => {
      const found = current
      if (found.session.isLost()) return again(found, run, onStarted)
      return Effect.catchIf(within(found, run), found.session.endsSession, () => again(found, run, onStarted))
    })
  /** Changes what is wanted first: a new session is told of it. */
  const want = <A>(change: Partial<Wanted>, run: Use<A>) =>
    Effect.suspend(() => {
      Object.assign(wanted, change)
      return use(run)
    })
  const now = () => current.session.connection
  return {
    get protocolVersion() {
      return now().protocolVersion
    },
    get serverInfo() {
      return now().serverInfo
    },
    get instructions() {
      return now().instructions
    },
    pid: null,
    closed: Deferred.await(lost),
    declares: (capability) => now().declares(capability),
    tellsOf: (what) => now().tellsOf(what),
    mirrorsArguments: () => now().mirrorsArguments(),
    traffic: () => now().traffic(),
    diagnostics: () => now().diagnostics(),
    stderr: () => now().stderr(),
    scrub: (text) => now().scrub(text),
    listTools: use(({ listTools }) => listTools),
    ping: use(({ ping }) => ping),
    call: (call) => use((connection) => connection.call(call), call.onStarted),
    list: (kind) => use((connection) => connection.list(kind)),
    inquire: (inquiry) => use((connection) => connection.inquire(inquiry)),
    watch: (watched) => want({ watched }, (connection) => connection.watch(watched)),
    setLogLevel: (level) => want({ level }, (connection) => connection.setLogLevel(level)),
    onToolsChanged: (listener) => wanted.tools.add(listener),
    onListChanged: (listener) => void (wanted.onListChanged = both(wanted.onListChanged, listener)),
    onResourceUpdated: (listener) => void (wanted.onResourceUpdated = both(wanted.onResourceUpdated, listener)),
    onLog: (listener) => void (wanted.onLog = both(wanted.onLog, listener))
  }
})

interface Wanted {
  level: LogLevel | null
  watched: ReadonlyArray<string>
  readonly tools: ChangeListeners
  onListChanged: (what: "prompts" | "resources") => void
  onResourceUpdated: (uri: string) => void
  onLog: (message: LogMessage) => void
}

const NOTHING: Omit<Wanted, "tools"> = {
  level: null,
  watched: [],
  onListChanged: () => {},
  onResourceUpdated: () => {},
  onLog: () => {}
}

/** Hands on the notifications of a session, as long as it is the newest. */
const listen = (connection: Connection, wanted: Wanted, isNewest: () => boolean) => {
  connection.onToolsChanged(() => isNewest() ? wanted.tools.tell() : undefined)
  connection.onListChanged((what) => isNewest() ? wanted.onListChanged(what) : undefined)
  connection.onResourceUpdated((uri) => isNewest() ? wanted.onResourceUpdated(uri) : undefined)
  connection.onLog((message) => isNewest() ? wanted.onLog(message) : undefined)
}

/** How often a new session is told again what is wanted of it, where that failed. */
const AGAIN = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")])

/** A session and the requests that run on it. */
interface Generation {
  readonly session: Session
  readonly scope: Scope.Closeable
  readonly idle: Deferred.Deferred<void>
  running: number
  isRetired: boolean
  /** Called when one of its requests has ended, however it ended. */
  readonly leave: () => void
}

const begin = Effect.fnUntraced(function*(
  opening: Opening,
  parent: Scope.Scope
): Effect.fn.Return<Generation, McpErrorReason> {
  const scope = yield* Scope.fork(parent)
  const session = yield* Scope.provide(opening, scope).pipe(
    Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))
  )
  const generation: Generation = {
    session,
    scope,
    idle: Deferred.makeUnsafe<void>(),
    running: 0,
    isRetired: false,
    leave: () => {
      generation.running--
      if (generation.isRetired && generation.running === 0) Deferred.doneUnsafe(generation.idle, Effect.void)
    }
  }
  return generation
})

type Use<A> = (connection: Connection) => Effect.Effect<A, McpErrorReason>

/** Each call passes here, so `leave` was made beforehand. */
const within = <A>(generation: Generation, run: Use<A>): Effect.Effect<A, McpErrorReason> =>
  CallScope.around((call) => {
    generation.running++
    call.add(generation.leave)
    return run(generation.session.connection)
  })

/** Closes a session when the last request on it has ended. */
const retire = (generation: Generation) =>
  Effect.suspend(() => {
    generation.isRetired = true
    const idle = generation.running === 0 ? Effect.void : Deferred.await(generation.idle)
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
