/** Pins: what a server's tools were when somebody approved them, or when they were first seen. */
import type { McpErrorReason } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { NOT_PINNED, type PinOptions, type Subject } from "./PinSubject.ts"
import * as PinVerdict from "./PinVerdict.ts"

/** The pins of all servers. Without a layer nothing is pinned. */
export class ToolPins extends Context.Reference<{
  /** Compares a listing with the pins of its server; what has none is pinned. Never fails. */
  readonly check: (subject: Subject) => Effect.Effect<PinVerdict.PinVerdict>
  /** Forgets the pins of a server, so that its next listing is pinned. Fails with `DecisionNotKept`. */
  readonly forget: (entry: ConfiguredServer) => Effect.Effect<void, McpErrorReason>
}>("mcp-registry/ToolPins", {
  defaultValue: () => ({
    check: ({ config }) =>
      Effect.succeed({ ...PinVerdict.UNPINNED, warnings: config.pin === "block" ? [NOT_PINNED] : [] }),
    forget: () => Effect.void
  })
}) {
  /**
   * Keeps the pins of one's own servers in a lock file beside the file that declares them, and those of projects below
   * `state`. Entries that a program gives are not pinned. A file that cannot be used blocks, or warns, as `pin` says.
   */
  static readonly layer = (
    state: string,
    options: PinOptions = {}
  ): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(
      ToolPins,
      Effect.flatMap(Effect.promise(() => import("./ToolPinsFile.ts")), ({ make }) => make(state, options))
    ).pipe(Layer.provide(Digest.layerWebCrypto))
}
