/**
 * How a server of revision 2026-07-28 is listened to: one request that asks for news and stays open, and is made again
 * when it ends, at a falling pace.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Backoff from "../base/Backoff.ts"
import * as JsonRpc from "../base/JsonRpc.ts"
import type { Refusals } from "../contract/Connection.ts"
import { ConnectionLost, type McpErrorReason, NotOffered } from "../errors/McpError.ts"
import * as Refusal from "./Refusal.ts"
import type { Send } from "./Requests.ts"

/** How long a server may take to say that it listens as asked. */
export const PATIENCE = "10 seconds"

/** Lists whose changes a server may tell of. */
export type ListName = "tools" | "prompts" | "resources"

export interface Options {
  readonly send: Send
  /** The lists whose changes the server says that it tells of. */
  readonly lists: () => ReadonlyArray<ListName>
  /** Where what is asked for stays open. */
  readonly scope: Scope.Scope
  /** Told when news is heard from now on, and which resources' updates; after the first time some may have been missed. */
  readonly onHeard: (isFirst: boolean, uris: ReadonlyArray<string>) => void
}

export interface Subscription {
  /** Begins, once however often it is asked; nothing is asked for where there is nothing to hear. Answers at once. */
  readonly begin: Effect.Effect<void>
  /**
   * Asks for updates of these resources from now on, and of no others; news goes on meanwhile. Gives those that are
   * refused, and why. Fails when the server could not be asked.
   */
  readonly watch: (uris: ReadonlyArray<string>) => Effect.Effect<Refusals, McpErrorReason>
  /** Whether it says that it tells of changes of this list from now on. */
  readonly hears: (list: ListName) => boolean
  /** Whether a word of the server belongs to what is asked for now, and not to what was asked for before. */
  readonly isCurrent: (params: Schema.JsonObject) => boolean
}

type Filter = Readonly<Record<string, true | ReadonlyArray<string>>>

interface Subscribed {
  readonly asked: Filter
  /** The filter as the server acknowledged it. */
  readonly honored: Schema.JsonObject
  readonly id: Schema.Json | undefined
  readonly fiber: Fiber.Fiber<unknown, McpErrorReason>
}

/** Asks for nothing yet. */
export const make = (options: Options): Subscription => {
  const turn = Semaphore.makeUnsafe(1)
  const isOpen = Latch.makeUnsafe(false)
  let uris: ReadonlyArray<string> = []
  let current: Subscribed | null = null
  let before: Schema.Json | undefined
  let hasBegun = false
  let isKept = false

  const filter = (): Filter => ({
    ...Object.fromEntries(options.lists().map((list) => [`${list}ListChanged`, true as const])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris })
  })
  /** The new one is there before the old one goes, so that nothing is missed between them. */
  const renew = turn.withPermit(Effect.gen(function*() {
    const asked = filter()
    const old = current
    if (old !== null && Equal.equals(old.asked, asked)) return old
    current = Object.keys(asked).length === 0 ? null : yield* subscribe(options, asked)
    before = old?.id
    if (current !== null) Latch.openUnsafe(isOpen)
    if (old !== null) yield* Fiber.interrupt(old.fiber)
    return current
  }))
  /** Answers when what is heard has ended, other than by asking for something else. */
  const ended = Effect.gen(function*() {
    for (;;) {
      const heard = current
      if (heard === null) {
        Latch.closeUnsafe(isOpen)
        yield* isOpen.await
        continue
      }
      yield* Fiber.await(heard.fiber)
      if (heard !== current) continue
      current = null
      return
    }
  })
  const keep = Effect.gen(function*() {
    let failures = 0
    let isFirst = true
    for (;;) {
      const since = yield* Clock.currentTimeMillis
      const renewed = yield* Effect.result(renew)
      if (Result.isFailure(renewed) && isForGood(renewed.failure)) return
      if (Result.isSuccess(renewed)) {
        if (renewed.success !== null) options.onHeard(isFirst, uris)
        isFirst = false
        yield* ended
      }
      if ((yield* Clock.currentTimeMillis) - since >= Backoff.HEALTHY_MILLIS) failures = 0
      yield* Effect.sleep(Backoff.delayMillis(failures++, yield* Random.next))
    }
  })
  // Uninterruptible: it has not begun, or it runs.
  const start = Effect.uninterruptible(Effect.suspend(() => {
    if (isKept) return Effect.void
    isKept = true
    const kept = Effect.ensuring(
      keep,
      Effect.sync(() => {
        isKept = false
      })
    )
    return Effect.asVoid(Effect.forkIn(kept, options.scope, { startImmediately: true }))
  }))
  /** A server that turned out not to tell is not asked again with each listing. */
  const begin = Effect.uninterruptible(Effect.suspend(() => {
    if (hasBegun) return Effect.void
    hasBegun = true
    return start
  }))
  const watch: Subscription["watch"] = Effect.fnUntraced(function*(wanted) {
    const kept = uris.filter((uri) => wanted.includes(uri))
    const added = wanted.filter((uri) => !kept.includes(uri))
    uris = wanted
    const renewed = yield* Effect.result(renew)
    if (Result.isSuccess(renewed)) {
      yield* start
      return unheard(wanted, renewed.success)
    }
    const { failure } = renewed
    if (!isRefusal(failure)) return yield* Effect.fail(failure)
    uris = kept
    if (added.length === 1 || isUnknown(failure)) return new Map(added.map((uri) => [uri, failure]))
    // One of them may have spoilt it for the others.
    const refusals = new Map<string, McpErrorReason>()
    for (const uri of added) {
      for (const [refused, why] of yield* watch([...uris, uri].sort())) refusals.set(refused, why)
    }
    return refusals
  })
  return {
    begin,
    watch,
    hears: (list) => current?.honored[`${list}ListChanged`] === true,
    isCurrent: (params) => {
      const id = subscriptionOf(params)
      // Notifications of the next subscription may come before we know that it was acknowledged.
      return id === undefined || id !== before
    }
  }
}

/** Answers once the server has said what it tells of. It says so first, or it has not listened. */
const subscribe = Effect.fnUntraced(function*(
  { scope, send }: Options,
  asked: Filter
): Effect.fn.Return<Subscribed, McpErrorReason> {
  const acknowledged = yield* Deferred.make<Schema.JsonObject, McpErrorReason>()
  const givenUp = yield* Deferred.make<never, McpErrorReason>()
  const request = send({
    method: "subscriptions/listen",
    params: { notifications: asked },
    onNotice: ({ kind, params }) =>
      kind === "acknowledged"
        ? Deferred.doneUnsafe(acknowledged, Effect.succeed(params))
        : Deferred.doneUnsafe(givenUp, ENDED)
  })
  const heard = Effect.raceFirst(request, Deferred.await(givenUp)).pipe(
    Effect.andThen(ENDED),
    Effect.tapError((reason) => Deferred.fail(acknowledged, reason))
  )
  const fiber = yield* Effect.forkIn(heard, scope, { startImmediately: true })
  const params = yield* Deferred.await(acknowledged).pipe(
    Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.fail(SILENT) }),
    Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Fiber.interrupt(fiber))
  )
  const { notifications } = params
  return {
    asked,
    honored: JsonRpc.isObject(notifications) ? notifications : {},
    id: subscriptionOf(params),
    fiber
  }
})

const ENDED = Effect.fail(new ConnectionLost({ detail: "the server stopped telling what changes" }))
const SILENT = new ConnectionLost({ detail: `it did not say within ${PATIENCE} that it tells what changes` })

/** Those of these resources of whose updates the server does not say that it tells. */
const unheard = (uris: ReadonlyArray<string>, heard: Subscribed | null): Refusals => {
  const honored = heard?.honored["resourceSubscriptions"]
  const known = Array.isArray(honored) ? honored : []
  return new Map(
    uris.filter((uri) => !known.includes(uri)).map((uri) => [uri, new NotOffered({ what: `updates of ${uri}` })])
  )
}

/** Whether the server itself said no. */
const isRefusal = (reason: McpErrorReason): boolean => reason._tag === "RequestFailed" || isUnknown(reason)

/** Whether making the request again is in vain, until somebody signs in. */
const isForGood = (reason: McpErrorReason): boolean => isUnknown(reason) || NEEDS_PERSON.has(reason._tag)

/** Whether the server knows no such request. */
const isUnknown = (reason: McpErrorReason): boolean =>
  Refusal.isUnknownMethod(reason) ||
  (reason._tag === "HttpStatus" && (reason.code === 404 || reason.code === 405))

const NEEDS_PERSON: ReadonlySet<string> = new Set(["AuthRequired", "AuthRejected", "AuthorizationFailed"])

/** The subscription that a notification belongs to (2026-07-28). */
export const subscriptionOf = ({ _meta }: Schema.JsonObject): Schema.Json | undefined =>
  JsonRpc.isObject(_meta) ? _meta["io.modelcontextprotocol/subscriptionId"] : undefined
