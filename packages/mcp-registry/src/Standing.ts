/**
 * How one server stands at the moment, and who is told when that changes: what a `SubscriptionRef` would be, at a tenth of
 * its memory. There is one for each server, and most have one listener all their life.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { ServerSnapshot } from "./ServerSnapshot.ts"

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
