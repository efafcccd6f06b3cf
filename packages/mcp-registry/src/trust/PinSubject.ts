/** The tools that are pinned, and how. */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import type * as Schema from "effect/Schema"

export interface Subject {
  readonly entry: ConfiguredServer
  readonly config: ServerConfig
  /** As the server listed them. */
  readonly tools: ReadonlyArray<Schema.JsonObject>
  readonly serverInfo: { readonly name: string; readonly version: string } | null
}

export interface PinOptions {
  /** False keeps all pins below the folder for state: for files that may lie in a stranger's folder. Default: true. */
  readonly lockFiles?: boolean | undefined
}

export const NOT_PINNED = `"pin" has no effect here: this program keeps no pins of this server's tools`
