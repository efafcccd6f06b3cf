/**
 * Who may start: the one place between a configuration and the servers where an entry's need of approval may be lifted.
 */
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * The warning of an entry that a person rejected: it does not run, and asks nobody.
 *
 * @category constants
 */
export const REJECTED = "it was rejected"

/**
 * What is asked of each entry whenever a configuration is applied. Without a layer every entry stays as its file has it.
 *
 * After an answer has changed, `McpRegistry.apply` asks again.
 *
 * @category references
 */
export class Admission extends Context.Reference<{
  /** Gives the entry as it is to be run. An entry that comes back with `needsApproval` does not run. Never fails. */
  readonly admit: (entry: ConfiguredServer) => Effect.Effect<ConfiguredServer>
}>("mcp-registry/Admission", {
  defaultValue: () => ({ admit: Effect.succeed })
}) {}
