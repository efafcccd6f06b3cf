/**
 * Watchers of the resources of one server. The server is asked once for each resource, for as long as somebody watches it,
 * and again on every new connection.
 */
import type { Connection, Refusals } from "@boocode/mcp-client/Connection"
import { CallTimeout, type McpErrorReason, NotOffered } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Dispatch } from "../calls/Dispatch.ts"
import type { Fork } from "../calls/ProgressDelivery.ts"
import type { ResourceUpdate } from "../model/Offered.ts"
import type { InFlightCalls } from "../state/InFlightCalls.ts"
import * as ServerState from "../state/ServerState.ts"
import * as StateRef from "../state/StateRef.ts"

export type { ResourceUpdate } from "../model/Offered.ts"

export interface ResourceWatches {
  /** Fails unless the server tells of updates. Wakes it. */
  readonly offered: Effect.Effect<void, McpErrorReason>
  /**
   * The updates of a resource from now on. While the server is away there are none; when it is back, one more tells of
   * those that were missed, and so it does for a watcher that is behind from the start. Keeps the server awake. Updates
   * that come faster than ten times a second, and than they are read, are told once a resource, for the 64 that changed
   * last. Ends when the scope of the server closes. Fails when the server refuses to tell of this one.
   */
  readonly updates: (uri: string, isBehind: boolean) => Stream.Stream<ResourceUpdate, McpErrorReason>
}

export interface Options {
  /** The name of the server. */
  readonly name: string
  readonly state: StateRef.StateRef
  readonly clock: Clock.Clock
  readonly dispatch: Dispatch
  readonly calls: InFlightCalls
  readonly fork: Fork
}

const UNREAD = 64
const PACE = { units: 10, duration: "1 second" } as const
const FIRST_DELAY_MILLIS = 1000
const MAX_DELAY_MILLIS = 60_000

interface Watcher {
  readonly uri: string
  /** That there is something unread. */
  readonly news: Queue.Queue<void, McpErrorReason>
  /** By URI, the oldest first. */
  readonly unread: Map<string, ResourceUpdate>
  /** Whether a connection has told of updates, or would have. */
  wasHeard: boolean
  /** Whether updates may have been missed since. */
  isBehind: boolean
}

/** Watches nothing yet. */
export const make = ({ calls, clock, dispatch, fork, name: server, state }: Options): ResourceWatches => {
  /** Open when there is something to ask for. */
  const nudge = Latch.makeUnsafe(false)
  const watchers = new Set<Watcher>()
  let isKept = false
  let heard: Connection | null = null
  /** Null while it is not known what the server tells of. */
  let asked: ReadonlyArray<string> | null = []

  const emit = ({ news, unread }: Watcher, uri: string) => {
    unread.delete(uri)
    unread.set(uri, { server, uri, at: clock.currentTimeMillisUnsafe() })
    const [oldest] = unread.keys()
    if (unread.size > UNREAD && oldest !== undefined) unread.delete(oldest)
    Queue.offerUnsafe(news, undefined)
  }
  const onUpdated = (uri: string) => {
    for (const watcher of watchers) if (isWithin(uri, watcher.uri)) emit(watcher, uri)
  }
  const refuse = (watcher: Watcher, reason: McpErrorReason) => {
    watchers.delete(watcher)
    Queue.failCauseUnsafe(watcher.news, Cause.fail(reason))
  }
  /** Updates come from one connection at a time; a watcher of the one before may have missed some. */
  const adopt = (connection: Connection) => {
    if (connection === heard) return
    heard = connection
    asked = []
    connection.onResourceUpdated(onUpdated)
    for (const watcher of watchers) watcher.isBehind ||= watcher.wasHeard
  }
  const refusalsOf = Effect.fnUntraced(function*(connection: Connection, uris: ReadonlyArray<string>) {
    if (!connection.declares("subscribe")) return new Map<string, McpErrorReason>(uris.map((uri) => [uri, NO_UPDATES]))
    if (asked !== null && Equal.equals(uris, asked)) return NO_REFUSALS
    asked = null
    const refusals = yield* limited(connection.watch(uris), timeoutOf(StateRef.now(state).entry))
    asked = uris.filter((uri) => !refusals.has(uri))
    return refusals
  })
  const ask = Effect.fnUntraced(function*(connection: Connection) {
    adopt(connection)
    const uris = [...new Set([...watchers].map(({ uri }) => uri))].sort()
    const refusals = yield* refusalsOf(connection, uris)
    for (const watcher of [...watchers].filter(({ uri }) => uris.includes(uri))) {
      const refusal = refusals.get(watcher.uri)
      if (refusal !== undefined) refuse(watcher, refusal)
      else if (watcher.isBehind) emit(watcher, watcher.uri)
      watcher.isBehind = false
      watcher.wasHeard = true
    }
  })
  /** A watched server may sleep where another entry has made it anew. */
  const wake = Effect.suspend(() =>
    watchers.size === 0 ? Effect.void : Effect.sync(() => void fork(Effect.ignore(dispatch.connected)))
  )
  const keep = Effect.gen(function*() {
    let failures = 0
    for (;;) {
      const nudged = Effect.andThen(nudge.await, nudge.close)
      yield* failures === 0 ? nudged : Effect.timeoutOption(nudged, pause(failures))
      const now = StateRef.now(state)
      const connection = ServerState.connectionOf(now)
      if (ServerState.isAsleep(now)) yield* wake
      const isDone = connection === null || Result.isSuccess(yield* Effect.result(ask(connection)))
      failures = isDone ? 0 : failures + 1
    }
  })
  const begin = () => {
    if (isKept) return
    isKept = true
    const connections = Stream.map(
      StateRef.changes(state),
      (now) => ServerState.isAsleep(now) ? "asleep" : ServerState.connectionOf(now)
    )
    const changes = Stream.changesWith(connections, (was, is) => was === is)
    fork(Stream.runForEach(changes, () => nudge.open))
    fork(keep)
  }
  const join = Effect.fnUntraced(function*(uri: string, isBehind: boolean) {
    const news = yield* Queue.sliding<void, McpErrorReason>(1)
    const watcher: Watcher = { uri, news, unread: new Map(), wasHeard: false, isBehind }
    watchers.add(watcher)
    begin()
    yield* nudge.open
    return watcher
  })
  const leave = (watcher: Watcher) =>
    Effect.suspend(() => {
      watchers.delete(watcher)
      return nudge.open
    })
  return {
    offered: dispatch.use(({ connection }) => connection.declares("subscribe") ? Effect.void : Effect.fail(NO_UPDATES)),
    updates: (uri, isBehind) =>
      Stream.unwrap(Effect.gen(function*() {
        yield* Effect.forkScoped(calls.attended(Effect.never), { startImmediately: true })
        const { news, unread } = yield* Effect.acquireRelease(join(uri, isBehind), leave)
        return Stream.fromQueue(news).pipe(
          Stream.throttle({ ...PACE, cost: () => 1 }),
          Stream.flatMap(() => Stream.fromIterable(taken(unread))),
          Stream.interruptWhen(StateRef.until(state, ServerState.isClosed))
        )
      }))
  }
}

const NO_UPDATES = new NotOffered({ what: "updates of resources" })
const NO_REFUSALS: Refusals = new Map()

const pause = (failures: number): number => Math.min(FIRST_DELAY_MILLIS * 2 ** (failures - 1), MAX_DELAY_MILLIS)

const taken = (unread: Watcher["unread"]): ReadonlyArray<ResourceUpdate> => {
  const all = [...unread.values()]
  unread.clear()
  return all
}

/** A watched URI may be a folder. */
const isWithin = (uri: string, watched: string): boolean =>
  uri === watched || uri.startsWith(watched.endsWith("/") ? watched : `${watched}/`)

const timeoutOf = ({ config }: ConfiguredServer): Duration.Duration =>
  Result.isSuccess(config) ? config.success.timeout : Duration.zero

const limited = (asked: ReturnType<Connection["watch"]>, limit: Duration.Duration) =>
  Effect.timeoutOrElse(asked, {
    duration: limit,
    orElse: () =>
      Effect.fail(
        new CallTimeout({ tool: "updates of resources", limitMillis: Duration.toMillis(limit), limit: "timeout" })
      )
  })
