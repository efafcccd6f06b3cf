/** Finds and signals everything a server started, for the stdio transport. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * The processes that a start made: the process group (its leader's id) and the marker that every process of it carries
 * in its environment under `MARKER_VARIABLE`.
 */
export interface ProcessTarget {
  readonly pid: number
  readonly marker: string
}

/** Finds the processes of one spawn by group, descendant and marker. */
export class ProcessTree extends Context.Service<ProcessTree, {
  /**
   * A marker for one more spawn. Should this program be killed, processes with a marker that was given are swept, where
   * the system allows it; where it does not, one warning says so. Never fails.
   */
  readonly mark: Effect.Effect<string>
  /** Has the group of a target swept as well, should this program be killed before the scope closes. Never fails. */
  readonly watch: (target: ProcessTarget) => Effect.Effect<void, never, Scope.Scope>
  /**
   * Remembers the processes of the target that live now, so that each is found also when those that started it are gone.
   * All other looks remember what they find, too. Never fails; where the system does not tell when a process started,
   * nothing is remembered.
   */
  readonly note: (target: ProcessTarget) => Effect.Effect<void>
  /** How many processes of the target live; zombies do not count. Never fails; what cannot be read counts as gone. */
  readonly alive: (target: ProcessTarget) => Effect.Effect<number>
  /** Signals every process of the target that lives. Never fails; one that just ended is no error. */
  readonly signal: (target: ProcessTarget, signal: "SIGTERM" | "SIGKILL") => Effect.Effect<void>
}>()("mcp-client/ProcessTree") {}
