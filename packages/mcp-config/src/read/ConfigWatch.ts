/** Notices when a file of the configuration changed, and has it read again. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as FileWatch from "./FileWatch.ts"
import { McpConfig } from "./McpConfig.ts"

/**
 * Watches every file that the configuration comes from, those that are not there yet included, until its scope closes. See
 * `FileWatch` for what is noticed and when.
 */
export const layer: Layer.Layer<never, never, McpConfig | FileSystem.FileSystem | Path.Path> = Layer.effectDiscard(
  Effect.gen(function*() {
    const config = yield* McpConfig
    // It is read at first too: a file may have changed since the configuration was built.
    yield* Effect.forkScoped(FileWatch.run({ files: config.files, onChange: Effect.asVoid(config.reload) }))
  })
)
