/**
 * Who wants to hear of updates of which resources of one server: each is asked for once, for as long as somebody does,
 * and again of every new connection.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Connection } from "./Connection.ts"
import type { Dispatch } from "./Dispatch.ts"
import type { Flights } from "./Flights.ts"
import { CallTimeout, type McpErrorReason, NotOffered } from "./McpError.ts"
import type { ServerSnapshot } from "./ServerSnapshot.ts"

/** A resource changed, or may have. @category schemas */
export const ResourceUpdate = Schema.Struct({
  server: Schema.String,
  /** Of the resource that changed: the one that is watched, or one below it. */
  uri: Schema.String,
  /** When that was heard, in milliseconds since 1970. */
  at: Schema.Number
})

/** A resource changed, or may have. @category models */
export type ResourceUpdate = typeof ResourceUpdate.Type

/** @category models */
export interface Watches {
  /** Fails unless the server tells of updates. Wakes it. */
  readonly offered: Effect.Effect<void, McpErrorReason>
  /**
   * The updates of a resource from now on, while the server is away none; one more when it is back, for what was missed.
   * Keeps it awake. Whoever is more than 64 behind misses the oldest. Fails when the server refuses to tell of this one.
   */
  readonly updates: (uri: string) => Stream.Stream<ResourceUpdate, McpErrorReason>
}

/** @category models */
export interface Options {
  readonly server: string
  readonly snapshot: SubscriptionRef.SubscriptionRef<ServerSnapshot>
  readonly dispatch: Dispatch
  readonly flights: Flights
  /** How long the server may take to say that it tells. */
  readonly limit: Duration.Duration
  /** Where the watch is kept. */
  readonly scope: Scope.Scope
}

const UNREAD = 64
const FIRST_DELAY_MILLIS = 1000
const MAX_DELAY_MILLIS = 60_000

interface Watcher {
  readonly uri: string
  readonly queue: Queue.Queue<ResourceUpdate, McpErrorReason>
  /** Whether a connection has told of updates, or would have. */
  wasHeard: boolean
  /** Whether updates may have been missed since. */
  isBehind: boolean
}

/** Watches nothing yet. @category constructors */
export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Watches> {
  const { dispatch, flights, limit, scope, server, snapshot } = options
  const clock = yield* Clock.Clock
  const nudge = yield* Queue.sliding<void>(1)
  const watchers = new Set<Watcher>()
  let isKept = false
  let heard: Connection | null = null
  let asked: ReadonlyArray<string> = []

  const emit = ({ queue }: Watcher, uri: string) =>
    Queue.offerUnsafe(queue, { server, uri, at: clock.currentTimeMillisUnsafe() })
  const onUpdated = (uri: string) => {
    for (const watcher of watchers) if (isWithin(uri, watcher.uri)) emit(watcher, uri)
  }
  const refuse = (watcher: Watcher, reason: McpErrorReason) => {
    watchers.delete(watcher)
    Queue.failCauseUnsafe(watcher.queue, Cause.fail(reason))
  }
  /** News comes from one connection at a time; whoever heard the one before may have missed some. */
  const adopt = (connection: Connection) => {
    if (connection === heard) return
    heard = connection
    asked = []
    connection.onResourceUpdated(onUpdated)
    for (const watcher of watchers) watcher.isBehind = watcher.wasHeard
  }
  const ask = Effect.fnUntraced(function*(connection: Connection) {
    adopt(connection)
    const uris = [...new Set([...watchers].map(({ uri }) => uri))].sort()
    if (Equal.equals(uris, asked)) return
    const isOffered = connection.declares("subscribe")
    const refusals = isOffered ? yield* limited(connection.watch(uris), limit) : new Map<string, McpErrorReason>()
    asked = isOffered ? uris.filter((uri) => !refusals.has(uri)) : []
    for (const watcher of [...watchers].filter(({ uri }) => uris.includes(uri))) {
      const refusal = refusals.get(watcher.uri) ?? (isOffered ? null : NO_UPDATES)
      if (refusal !== null) refuse(watcher, refusal)
      if (refusal === null && watcher.isBehind) emit(watcher, watcher.uri)
      watcher.isBehind = false
      watcher.wasHeard = true
    }
  })
  const keep = Effect.gen(function*() {
    let failures = 0
    for (;;) {
      yield* Queue.take(nudge)
      const { connection } = yield* SubscriptionRef.get(snapshot)
      if (connection === null) continue
      if (Result.isSuccess(yield* Effect.result(ask(connection)))) failures = 0
      else {
        const delay = Math.min(FIRST_DELAY_MILLIS * 2 ** failures++, MAX_DELAY_MILLIS)
        yield* Effect.forkIn(Effect.andThen(Effect.sleep(delay), Queue.offer(nudge, undefined)), scope)
      }
    }
  })
  const begin = Effect.gen(function*() {
    if (isKept) return
    isKept = true
    const connections = Stream.map(SubscriptionRef.changes(snapshot), ({ connection }) => connection)
    const changes = Stream.changesWith(connections, (was, is) => was === is)
    yield* Effect.forkIn(Stream.runForEach(changes, () => Queue.offer(nudge, undefined)), scope)
    yield* Effect.forkIn(keep, scope)
  })
  const join = Effect.fnUntraced(function*(uri: string) {
    const queue = yield* Queue.sliding<ResourceUpdate, McpErrorReason>(UNREAD)
    const watcher: Watcher = { uri, queue, wasHeard: false, isBehind: false }
    watchers.add(watcher)
    yield* begin
    yield* Queue.offer(nudge, undefined)
    return watcher
  })
  const leave = (watcher: Watcher) =>
    Effect.suspend(() => {
      watchers.delete(watcher)
      return Queue.offer(nudge, undefined)
    })
  return {
    offered: dispatch.use(({ connection }) => connection.declares("subscribe") ? Effect.void : Effect.fail(NO_UPDATES)),
    updates: (uri) =>
      Stream.unwrap(Effect.gen(function*() {
        yield* Effect.forkScoped(flights.attended(Effect.never), { startImmediately: true })
        const { queue } = yield* Effect.acquireRelease(join(uri), leave)
        return Stream.fromQueue(queue)
      }))
  }
})

const NO_UPDATES = new NotOffered({ what: "updates of resources" })

/** What is watched may be a folder. */
const isWithin = (uri: string, watched: string): boolean =>
  uri === watched || uri.startsWith(watched.endsWith("/") ? watched : `${watched}/`)

const limited = (asked: ReturnType<Connection["watch"]>, limit: Duration.Duration) =>
  Effect.timeoutOrElse(asked, {
    duration: limit,
    orElse: () =>
      Effect.fail(
        new CallTimeout({ tool: "updates of resources", limitMillis: Duration.toMillis(limit), limit: "timeout" })
      )
  })
