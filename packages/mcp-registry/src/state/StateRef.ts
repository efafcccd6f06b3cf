/** Where the state of one server is held. It changes by events only. */
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ServerState from "./ServerState.ts"

/** Without a `SubscriptionRef` and its subscription, which would take 6 KB for each server. */
export interface StateRef {
  state: ServerState.ServerState
  listeners: ReadonlyArray<Listener>
  /** The states that listeners do not know yet, the oldest first. */
  readonly untold: Array<ServerState.ServerState>
}

type Listener = (state: ServerState.ServerState) => void

export const make = (entry: ConfiguredServer): StateRef => ({
  state: ServerState.initial(entry),
  listeners: [],
  untold: []
})

/** The state now, for callers that cannot wait. */
export const now = ({ state }: StateRef): ServerState.ServerState => state

/** Tells the server of an event. Nobody hears of one that changes nothing. */
export const send = (ref: StateRef, event: ServerState.ServerEvent): Effect.Effect<void> =>
  Effect.asVoid(sendIf(ref, event, () => true))

/** Tells it where this holds at the moment, and gives whether it did. No other event comes in between. */
export const sendIf = (
  ref: StateRef,
  event: ServerState.ServerEvent,
  holds: (state: ServerState.ServerState) => boolean
): Effect.Effect<boolean> =>
  Effect.sync(() => {
    const before = ref.state
    if (!holds(before)) return false
    ref.state = ServerState.next(before, event)
    if (ref.state !== before) tell(ref, ref.state)
    return true
  })

/** A listener may send an event itself: all hear of the first before any hears of the second. */
const tell = (ref: StateRef, state: ServerState.ServerState): void => {
  if (ref.untold.push(state) > 1) return
  for (const next of ref.untold) for (const listener of ref.listeners) listener(next)
  ref.untold.length = 0
}

/** Hears of each change until it is told to stop, by what this gives. */
const listen = (ref: StateRef, listener: Listener): () => void => {
  ref.listeners = [...ref.listeners, listener]
  return () => {
    ref.listeners = ref.listeners.filter((other) => other !== listener)
  }
}

/** Runs this with the state now and at each change, at once, until the scope closes. It must not wait. */
export const follow = (ref: StateRef, run: Listener): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      run(ref.state)
      return listen(ref, run)
    }),
    (stop) => Effect.sync(stop)
  ))

/** The state now, and at each change. Ends with the state of a closed server. */
export const changes = (ref: StateRef): Stream.Stream<ServerState.ServerState> =>
  Stream.takeUntil(
    Stream.callback<ServerState.ServerState>((queue) => follow(ref, (state) => Queue.offerUnsafe(queue, state))),
    ServerState.isClosed
  )

/** Waits until the state is as wanted, or the server is closed, and gives it. */
export const until = (
  ref: StateRef,
  isWanted: (state: ServerState.ServerState) => boolean
): Effect.Effect<ServerState.ServerState> =>
  Effect.callback((resume) => {
    const isOver = (state: ServerState.ServerState) => isWanted(state) || ServerState.isClosed(state)
    if (isOver(ref.state)) return resume(Effect.succeed(ref.state))
    const stop = listen(ref, (state) => {
      if (!isOver(state)) return
      stop()
      resume(Effect.succeed(state))
    })
    return Effect.sync(stop)
  })
