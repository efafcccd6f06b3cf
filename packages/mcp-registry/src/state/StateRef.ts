/** Where the state of one server is held. It changes by events only. */
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as ServerState from "./ServerState.ts"

export type StateRef = SubscriptionRef.SubscriptionRef<ServerState.ServerState>

export const make = (entry: ConfiguredServer): Effect.Effect<StateRef> =>
  SubscriptionRef.make(ServerState.initial(entry))

/** The state now, for callers that cannot wait. */
export const now: (ref: StateRef) => ServerState.ServerState = SubscriptionRef.getUnsafe

/** Tells the server of an event. Nobody hears of one that changes nothing. */
export const send = (ref: StateRef, event: ServerState.ServerEvent): Effect.Effect<void> =>
  Effect.asVoid(sendIf(ref, event, () => true))

/** Tells it where this holds at the moment, and gives whether it did. No other event comes in between. */
export const sendIf = (
  ref: StateRef,
  event: ServerState.ServerEvent,
  holds: (state: ServerState.ServerState) => boolean
): Effect.Effect<boolean> =>
  SubscriptionRef.modifySome(ref, (state) => {
    if (!holds(state)) return [false, Option.none()]
    const after = ServerState.next(state, event)
    return [true, after === state ? Option.none() : Option.some(after)]
  })

/** The state now, and at each change. Ends with the state of a closed server. */
export const changes = (ref: StateRef): Stream.Stream<ServerState.ServerState> =>
  Stream.takeUntil(SubscriptionRef.changes(ref), ServerState.isClosed)

/**
 * Runs this with each of `changes`, in the background of the scope. Without a stream, which would take 8 KB for each server
 * with its fiber.
 */
export const follow = (
  ref: StateRef,
  run: (state: ServerState.ServerState) => Effect.Effect<void>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(PubSub.subscribe(ref.pubsub), (subscription) => {
    const next: Effect.Effect<void> = Effect.flatMap(
      PubSub.take(subscription),
      (state) => Effect.flatMap(run(state), () => ServerState.isClosed(state) ? Effect.void : next)
    )
    return Effect.asVoid(Effect.forkScoped(next, { startImmediately: true }))
  })

/** Waits until the state is as wanted, or the server is closed, and gives it. */
export const until = (
  ref: StateRef,
  isWanted: (state: ServerState.ServerState) => boolean
): Effect.Effect<ServerState.ServerState> =>
  Effect.suspend(() => {
    const state = now(ref)
    if (isWanted(state)) return Effect.succeed(state)
    return Effect.map(Stream.runHead(Stream.filter(changes(ref), isWanted)), Option.getOrElse(() => now(ref)))
  })
