/** A tool of a server under the name that models and people use. */
import type { Asker, CallProgress } from "@boocode/mcp-client"
import type { ToolClass } from "@boocode/mcp-config"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Passed } from "./Passed.ts"
import type { ToolTarget } from "./ToolTarget.ts"

/**
 * One tool that passed discovery. The raw pair (`server`, `tool`) goes on the wire; `name` is what everybody else says.
 */
export interface McpTool extends Passed {
  readonly name: string
  readonly server: string
  readonly tool: string
  readonly title: string | null
  readonly description: string | null
  /** As the server declared it, untouched. */
  readonly inputSchema: Schema.JsonObject
  readonly outputSchema: Schema.JsonObject | null
  readonly annotations: Schema.JsonObject
  /** The class of the tool: as it says of itself, unless its entry says otherwise. */
  readonly class: ToolClass
  /** It says that it reaches beyond what its server holds (`openWorldHint`). */
  readonly isOpenWorld: boolean
  /** How to see what a call of it would replace; null where nobody said. */
  readonly target: ToolTarget | null
  /** An estimate of what the definition costs a model's context: a quarter of its characters. */
  readonly tokens: number
  /** The `maxResultBytes` of its server's entry: how many bytes of UTF-8 of a result are shown. */
  readonly maxResultBytes: number
  /** The `results` of its server's entry: structured content is what models read, where a result has both (R61). */
  readonly prefersStructured?: boolean
  /** Sent to a model with every request, whatever else is left to search: `alwaysLoad` of the entry. */
  readonly isAlwaysLoaded: boolean
  /**
   * No model's call of it is made without a person's yes: `ask` of the entry names it, or it writes. A person's own call
   * is one.
   */
  readonly needsApproval: boolean
  /** `ask` of the entry names it. Left out, `needsApproval` tells. */
  readonly isAsked?: boolean
  /** The entry says `"writes": "ask"`. Left out, it does not. */
  readonly isOffered?: boolean
  /** False for a server of a project file: what it says of itself is not believed. */
  readonly isTrusted: boolean
}

export type { BlockStyle, CallProgress, CallResult } from "@boocode/mcp-client"

/** A tool that discovery left out, and why. */
export interface RejectedTool {
  readonly server: string
  readonly tool: string
  /** The name it would have. */
  readonly name: string
  readonly reason: string
  readonly class: ToolClass
  readonly isOpenWorld: boolean
  /** True when it is left out because it is not as it was pinned. */
  readonly isChanged: boolean
  /** True when it is left out only because it writes: `"writes": "ask"` of its entry would offer it. */
  readonly isWriter: boolean
  /** A hint what a person can do about it, in one line; null where there is nothing. */
  readonly hint: string | null
}

/** How one call is made. */
export interface CallOptions {
  /** Replaces the entry's idle `timeout` for this call. */
  readonly timeout?: Duration.Duration | undefined
  /** Is run for each progress notification, in order. */
  readonly onProgress?: ((progress: CallProgress) => Effect.Effect<void>) | undefined
  /**
   * Answers what the server asks about this call; the host's own asker where none is given. While a question is open the
   * call's limits rest. Its questions end when the call does.
   */
  readonly asker?: Asker | undefined
  /** Calls one of `McpRegistry.writers`, too. The caller has a person's yes, or a rule that stands for one. */
  readonly writes?: boolean | undefined
  /**
   * Gives the content of a good result to the letter, hidden characters and ends of lines included, and nothing else of
   * it: to compare it and write it back, never to show it.
   */
  readonly asWritten?: boolean | undefined
}
