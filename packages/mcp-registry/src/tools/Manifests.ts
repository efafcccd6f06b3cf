/** The last list of each lazy server, so that its tools are known before it runs. */
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { Listed, Manifest, Owner } from "./Manifest.ts"

/** The manifests of a registry. Without a layer none is kept, and a lazy server starts once in every run. */
export class Manifests extends Context.Reference<{
  /** The last list of the server of this very entry; null when that is not known. Never fails. */
  readonly recall: (owner: Owner) => Effect.Effect<Manifest | null>
  /** Keeps what a lazy server listed; of others nothing is kept. Never fails: what cannot be written is listed anew. */
  readonly remember: (owner: Owner, manifest: Listed) => Effect.Effect<void>
}>("mcp-registry/Manifests", {
  defaultValue: () => ({ recall: () => Effect.succeed(null), remember: () => Effect.void })
}) {
  /**
   * Keeps them in this folder, a file for each server, readable by its owner alone. It must lie where no project can
   * write. A file that cannot be used counts as absent.
   */
  static readonly layerFolder = (
    folder: string
  ): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(
      Manifests,
      Effect.flatMap(Effect.promise(() => import("./ManifestsFile.ts")), ({ make }) => make(folder))
    ).pipe(Layer.provide(Digest.layerWebCrypto))
}
