/** Tokens of remote servers in a file, sealed with a key of the system's keychain where there is one. */
import { Credentials } from "@boocode/mcp-client"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as Redacted from "effect/Redacted"
import type * as Keychain from "./Keychain.ts"

export interface Options extends Keychain.Options {
  /** In a folder of the person's own state. */
  readonly file: string
  /** The text of which the key is made, in place of one of the system's keychain: nothing is kept unsealed then. */
  readonly secret?: Redacted.Redacted | undefined
}

/** Provides `Credentials`. Reads no file, and asks no keychain, before a server needs it. */
export const layer = (
  { file, keychain, secret, use }: Options
): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
  Layer.unwrap(Effect.gen(function*() {
    const { layerCrypto, ofSecret, seal } = yield* Effect.promise(() => import("./Keychain.ts"))
    const by = secret === undefined
      ? { use, ...keychain === undefined ? {} : { keychain } }
      : { use: "keychain" as const, keychain: ofSecret(secret) }
    const sealed = Effect.map(seal(by), (made) => Credentials.layerFile(file, made))
    return Layer.provide(Layer.unwrap(sealed), layerCrypto)
  }))
