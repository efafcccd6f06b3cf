/** The parts of chats that any node runs, read from the store as they come. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Part } from "../model/Part.ts"
import type { ChatStore, ChatStoreFailed } from "../store/ChatStore.ts"

export interface PartWatch {
  /**
   * The parts with a `seq` above `after`, in order and each once, then each new one, until the chat is removed. Whether
   * this program hears of a part or not, it comes within a second or two. A store that is away is waited for, 30 s.
   */
  readonly events: (id: string, after: number) => Stream.Stream<Part, ChatStoreFailed>
  /** There may be more of this chat to read. */
  readonly wake: (id: string) => void
}

interface Watcher {
  readonly id: string
  /** The `seq` of the last part that was read. */
  position: number
  woken: Deferred.Deferred<void>
}

/** How many parts are read at once, and how many bytes of them beyond the first. */
const BATCH = 256
const BATCH_BYTES = 262_144

const LOOK = "1 second"
const PATIENCE = Schedule.spaced("500 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))

/** Looks each second, for all that is watched at once, whether there is more than anybody told. */
export const make = Effect.fnUntraced(function*(
  store: ChatStore["Service"]
): Effect.fn.Return<PartWatch, never, Scope.Scope> {
  const watchers = new Map<string, Set<Watcher>>()

  const watch = (id: string, position: number) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const watcher: Watcher = { id, position, woken: Deferred.makeUnsafe() }
        const others = watchers.get(id) ?? new Set()
        watchers.set(id, others.add(watcher))
        return watcher
      }),
      (watcher) =>
        Effect.sync(() => {
          const others = watchers.get(id)
          others?.delete(watcher)
          if (others?.size === 0) watchers.delete(id)
        })
    )

  const next = (watcher: Watcher): Effect.Effect<
    readonly [ReadonlyArray<Part>, Option.Option<Watcher>],
    ChatStoreFailed
  > =>
    Effect.gen(function*() {
      for (;;) {
        // Taken before reading: a part that comes in between is then no reason to wait.
        const { id, position, woken } = watcher
        const parts = yield* Effect.retry(store.parts(id, position, BATCH, BATCH_BYTES), PATIENCE)
        const last = parts.at(-1)
        if (last !== undefined) {
          watcher.position = last.seq
          return [parts, Option.some(watcher)] as const
        }
        if ((yield* Effect.retry(store.owner(id), PATIENCE)) === null) return [[], Option.none()] as const
        yield* Deferred.await(woken)
      }
    })

  const wakeOne = (watcher: Watcher): void => {
    const { woken } = watcher
    watcher.woken = Deferred.makeUnsafe()
    Deferred.doneUnsafe(woken, Effect.void)
  }
  const wake = (id: string): void => watchers.get(id)?.forEach(wakeOne)

  const look = Effect.gen(function*() {
    const lasts = yield* store.lastSeqs([...watchers.keys()])
    for (const [id, some] of watchers) {
      const last = lasts.get(id)
      for (const watcher of some) if (last === undefined || last > watcher.position) wakeOne(watcher)
    }
  })
  yield* look.pipe(
    Effect.catch(({ message }) => Effect.logDebug(`new parts cannot be looked for: ${message}`)),
    Effect.delay(LOOK),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    events: (id, after) =>
      Stream.unwrap(Effect.map(watch(id, Math.max(0, after)), (watcher) => Stream.paginate(watcher, next))),
    wake
  }
})
