/** A storage that several programs share, in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type KeptState, StateStorage, StateStorageError } from "../../src/host/StateStorage.ts"

/** Keeps the files of `folder`. Others come in between, and it can be away. */
export const make = (folder: string) => {
  const kept = new Map<string, KeptState>()
  const state = { isAway: false }
  const asked = <A>(answer: () => A) =>
    Effect.andThen(
      Effect.yieldNow,
      Effect.suspend(() => state.isAway ? new StateStorageError({ message: "it is away" }) : Effect.sync(answer))
    )
  const shared: StateStorage = {
    nameOf: (file) => file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : null,
    read: (name) => asked(() => kept.get(name) ?? null),
    write: (name, text, before) =>
      asked(() => {
        if ((kept.get(name)?.version ?? 0) !== before) return false
        kept.set(name, { text, version: before + 1 })
        return true
      }),
    list: (prefix) =>
      asked(() => [...kept].flatMap(([name, { text }]) => name.startsWith(prefix) ? [{ name, text }] : [])),
    remove: (name) => asked(() => void kept.delete(name))
  }
  return { kept, state, layer: Layer.succeed(StateStorage, shared) }
}
