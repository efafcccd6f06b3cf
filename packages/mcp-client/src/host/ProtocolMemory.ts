/** Which era of the protocol each server spoke last, so that a server that is known need not be asked again. */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { Verdict } from "./ProtocolMemoryFile.ts"

export type { Verdict } from "./ProtocolMemoryFile.ts"

/** Remembers the era of each server. Without a layer nothing is remembered. */
export class ProtocolMemory extends Context.Reference<{
  /** The verdict on a server with this very transport; null when there is none, or it is too old. Never fails. */
  readonly recall: (config: ServerConfig) => Effect.Effect<Verdict | null>
  /** Keeps a verdict with today's date. Never fails: what cannot be written is asked again next time. */
  readonly remember: (config: ServerConfig, verdict: Omit<Verdict, "at">) => Effect.Effect<void>
  /** Forgets a verdict that did not fit. */
  readonly forget: (config: ServerConfig) => Effect.Effect<void>
}>("mcp-client/ProtocolMemory", {
  defaultValue: () => ({
    recall: () => Effect.succeed(null),
    remember: () => Effect.void,
    forget: () => Effect.void
  })
}) {
  /** Keeps verdicts in this file, as JSON. A file that cannot be read counts as empty. */
  static readonly layerFile = (
    file: string
  ): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(
      ProtocolMemory,
      Effect.flatMap(Effect.promise(() => import("./ProtocolMemoryFile.ts")), ({ make }) => make(file))
    )
}
