/** Tokens of remote servers in a file, sealed with a key of the system's keychain where there is one. */
import { Credentials } from "@boocode/mcp-client"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as Keychain from "./Keychain.ts"

export interface Options extends Keychain.Options {
  /** In a folder of the person's own state. */
  readonly file: string
}

/** Provides `Credentials`. Reads no file, and asks no keychain, before a server needs it. */
export const layer = (options: Options): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
  Layer.unwrap(Effect.gen(function*() {
    const { layerCrypto, seal } = yield* Effect.promise(() => import("./Keychain.ts"))
    const sealed = Effect.map(seal(options), (made) => Credentials.layerFile(options.file, made))
    return Layer.provide(Layer.unwrap(sealed), layerCrypto)
  }))
