/**
 * Where the tokens of remote servers are kept, and who may change them: one at a time, among all programs that share them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import type * as Path from "effect/Path"
import type { AuthorizationFailed } from "../McpError.ts"
import type { Credential } from "./Credential.ts"
import { type CredentialKey, nameOf, NOBODY } from "./CredentialKey.ts"
import type { Seal } from "./Seal.ts"

/**
 * What a change leads to.
 *
 * @category models
 */
export interface Changed<A> {
  /** What is kept from now on; null for nothing. */
  readonly keep: Credential | null
  readonly give: A
}

/** One way to keep them. @category models */
export interface CredentialStore {
  /** What is kept for a server; null for nothing. Fails with `AuthorizationFailed` when it cannot be read. */
  readonly read: (key: CredentialKey) => Effect.Effect<Credential | null, AuthorizationFailed>
  /**
   * Changes what is kept for a server, with what is kept now at hand. Nobody else, in this program or another one that
   * shares the file, changes the same server's meanwhile; `change` has 10 s for that, or what it keeps may come to nothing
   * because somebody else was quicker. A change that fails changes nothing. Fails with `AuthorizationFailed` when it is
   * another's turn for too long, or when it cannot be written.
   */
  readonly change: <A, E>(
    key: CredentialKey,
    change: (current: Credential | null) => Effect.Effect<Changed<A>, E>
  ) => Effect.Effect<A, E | AuthorizationFailed>
  /**
   * Forgets what is kept for a server, when it is our turn. Gives it; null where it cannot be opened any more. Fails with
   * `AuthorizationFailed` when nothing is kept, when it is another's turn for too long, or when it cannot be written.
   */
  readonly remove: (key: CredentialKey) => Effect.Effect<Credential | null, AuthorizationFailed>
}

/**
 * The tokens of a registry. Without a layer each registry keeps its own in memory, as long as it lives (R92).
 *
 * @category references
 */
export class Credentials extends Context.Reference<CredentialStore>("mcp-registry/Credentials", {
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
  const kept = new Map<string, Credential>()
  const turns = PartitionedSemaphore.makeUnsafe<string>({ permits: 1 })
  const read = (name: string) => Effect.sync(() => kept.get(name) ?? null)
  return {
    read: (key) => read(nameOf(key)),
    change: (key, change) => {
      const name = nameOf(key)
      const changed = Effect.map(Effect.flatMap(read(name), change), ({ give, keep }) => {
        if (keep === null) kept.delete(name)
        else kept.set(name, keep)
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
    }
  }
}

/** What stands there where nobody provided any. */
const NOBODYS = inMemory()

/** Those that were provided, else new ones: two registries of one program may be two people's. @category constructors */
export const own: Effect.Effect<CredentialStore> = Effect.map(
  Credentials,
  (store) => store === NOBODYS ? inMemory() : store
)
