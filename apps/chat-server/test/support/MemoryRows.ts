/** The rows of a configuration in memory, as the nodes of a fleet have them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { ConfigRows, ConfigRowsFailed } from "../../src/fleet/kept/ConfigRows.ts"

export const make = Effect.gen(function*() {
  const authors: Array<string> = []
  const versions = new Map<string, ReadonlyArray<string | null>>()
  const told = yield* PubSub.unbounded<void>()
  const turn = yield* Semaphore.make(1)
  const state = { isAway: false }
  const asked = <A>(answer: () => A) =>
    Effect.andThen(
      Effect.yieldNow,
      Effect.suspend(() => state.isAway ? new ConfigRowsFailed({ message: "it is away" }) : Effect.sync(answer))
    )
  const rows = ConfigRows.of({
    newest: asked(() => new Map([...versions].map(([name, all]) => [name, all.length]))),
    read: (name, version) => asked(() => versions.get(name)?.[version - 1] ?? null),
    write: (name, text, before, by) =>
      Effect.tap(
        asked(() => {
          const all = versions.get(name) ?? []
          if (all.length !== before) return null
          versions.set(name, [...all, text])
          authors.push(by)
          return before + 1
        }),
        (version) => version === null ? Effect.void : PubSub.publish(told, undefined)
      ),
    history: (wanted) =>
      asked(() =>
        [...versions].filter(([name]) => wanted === null || name === wanted).flatMap(([name, all]) =>
          all.map((text, at) => ({ name, version: at + 1, removed: text === null, by: "node", at: "" })).toReversed()
        )
      ),
    alone: (effect) => turn.withPermit(Effect.mapError(effect, ({ message }) => new ConfigRowsFailed({ message }))),
    changes: Stream.fromPubSub(told)
  })
  return { authors, versions, state, layer: Layer.succeed(ConfigRows, rows) }
})
