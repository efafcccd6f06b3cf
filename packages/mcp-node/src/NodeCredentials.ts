/**
 * Tokens of remote servers in a file, sealed with a key of the system's keychain where there is one.
 */
import { Credentials } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as Keychain from "./Keychain.ts"

/**
 * Where tokens are kept.
 *
 * @category models
 */
export interface Options extends Keychain.Options {
  /** In a folder of the person's own state. */
  readonly file: string
}

/**
 * Gives `Credentials`. Nothing is read, and no keychain is asked, before a server needs it.
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
  Layer.unwrap(
    Effect.map(Effect.promise(() => import("./Keychain.ts")), ({ layerCrypto, seal }) =>
      Layer.unwrap(Effect.map(seal(options), (seal) =>
        Credentials.layerFile(options.file, seal))).pipe(
          Layer.provide(layerCrypto)
        ))
  )
