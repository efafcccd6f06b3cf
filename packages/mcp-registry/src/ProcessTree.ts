/**
 * What the stdio transport needs from an operating system: to find and signal everything a server started.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * What was started: the process group (its leader's id) and the marker that every process of it carries in its
 * environment under `MARKER_VARIABLE`.
 *
 * @category models
 */
export interface ProcessTarget {
  readonly pid: number
  readonly marker: string
}

/**
 * The name of the environment variable that marks what belongs to one spawn (Decision 6).
 *
 * @category constants
 */
export const MARKER_VARIABLE = "BOOCODE_MCP_SPAWN"

/**
 * Finds the processes of one spawn by group, descendant and marker.
 *
 * @category services
 */
export class ProcessTree extends Context.Service<ProcessTree, {
  /** How many processes of the target live; zombies do not count. Never fails; what cannot be read counts as gone. */
  readonly alive: (target: ProcessTarget) => Effect.Effect<number>
  /** Signals every process of the target that lives. Never fails; one that just ended is no error. */
  readonly signal: (target: ProcessTarget, signal: "SIGTERM" | "SIGKILL") => Effect.Effect<void>
}>()("mcp-registry/ProcessTree") {}
