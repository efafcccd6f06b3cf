/**
 * Where the tokens of remote servers are kept, and who may change them: one at a time, among all programs that share them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import type * as Path from "effect/Path"
import { type Credential, type CredentialStore, nameOf, NOBODY, type Seal } from "./Credential.ts"

/** The tokens of a registry. Without a layer each registry keeps its own in memory, as long as it lives (R92). */
export class Credentials extends Context.Reference<CredentialStore>("mcp-client/Credentials", {
  defaultValue: () => NOBODYS
}) {
  /** Keeps them in memory, as long as the layer lives. */
  static readonly layerMemory: Layer.Layer<never> = Layer.effect(Credentials, Effect.sync(() => inMemory()))

  /**
   * Keeps them in this file, which only its owner may read, sealed where `seal` can do that. It must lie in a folder of the
   * person's own state. Several programs may share it. A file that cannot be used is never taken for an empty one.
   */
  static readonly layerFile = (
    file: string,
    seal: Seal | null = null
  ): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(
      Credentials,
      Effect.flatMap(Effect.promise(() => import("./CredentialFile.ts")), ({ make }) => make(file, seal))
    )
}

const inMemory = (): CredentialStore => {
  const kept = new Map<string, { readonly server: string; readonly credential: Credential }>()
  const turns = PartitionedSemaphore.makeUnsafe<string>({ permits: 1 })
  const read = (name: string) => Effect.sync(() => kept.get(name)?.credential ?? null)
  return {
    read: (key) => read(nameOf(key)),
    change: (key, change) => {
      const name = nameOf(key)
      const changed = Effect.map(Effect.flatMap(read(name), change), ({ give, keep }) => {
        if (keep === null) kept.delete(name)
        else kept.set(name, { server: key.server, credential: keep })
        return give
      })
      return turns.withPermit(name)(changed)
    },
    remove: (key) => {
      const name = nameOf(key)
      const removed = Effect.tap(
        Effect.filterOrFail(read(name), (credential) => credential !== null, () => NOBODY),
        () => Effect.sync(() => kept.delete(name))
      )
      return turns.withPermit(name)(removed)
    },
    forget: (isOf) =>
      Effect.sync(() => {
        for (const [name, { server }] of kept) if (isOf(server)) kept.delete(name)
      })
  }
}

/** Stands there where nobody provided a store. */
const NOBODYS = inMemory()

/** The provided store, else a new one: two registries of one program may be two people's. */
export const own: Effect.Effect<CredentialStore> = Effect.map(
  Credentials,
  (store) => store === NOBODYS ? inMemory() : store
)
