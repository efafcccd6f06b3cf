/** The one place between a configuration and the servers where an entry's need of approval may be lifted. */
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Is asked about each entry whenever a configuration is applied. Without a layer every entry stays as its file has it.
 *
 * After an answer has changed, `McpRegistry.apply` asks again.
 */
export class Admission extends Context.Reference<{
  /**
   * Gives the entry as it is to be run. One that comes back with `needsApproval` does not run; with `isRejected` too nobody
   * is asked about it. Never fails.
   */
  readonly admit: (entry: ConfiguredServer) => Effect.Effect<ConfiguredServer>
}>("mcp-registry/Admission", {
  defaultValue: () => ({ admit: Effect.succeed })
}) {}
