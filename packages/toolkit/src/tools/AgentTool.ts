/** The one kind of tool a turn knows, whether it is built in or comes from a server. */
import type { Asker, CallProgress, McpTool } from "@boocode/mcp-registry"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { ToolClass } from "../permissions/PermissionRule.ts"
import type { ToolResult } from "../results/ToolResult.ts"

/** Whether what a call changed can be brought back. */
export interface WriteUndo {
  /** The id under which `UndoStore` of `@boocode/chat` keeps it; null when nothing is kept. */
  readonly id: string | null
  readonly possible: boolean
  /** Why it cannot be brought back; null when it can. */
  readonly why: string | null
}

/** How one call is made. */
export interface RunOptions {
  /** Is told once what the call changed and how to bring that back; never for a call that changed nothing. */
  readonly onWrite?: ((undo: WriteUndo) => Effect.Effect<void>) | undefined
  /** Is run for each progress notification, in order. */
  readonly onProgress?: ((progress: CallProgress) => Effect.Effect<void>) | undefined
  /** Answers what the server asks while the call runs; without it, the asker of the registry does. */
  readonly asker?: Asker | undefined
  /** How long the server may be silent; without it, the `timeout` of its entry. */
  readonly timeout?: Duration.Duration | undefined
  /** The id that the model gave the call. Models repeat them, so it names no call for sure. */
  readonly callId?: string | undefined
  /** A person said yes to this call: what it calls on its way asks nobody again. */
  readonly isApproved?: boolean | undefined
  /** Calls one of `McpRegistry.writers`, too. The caller has a person's yes, or a rule that stands for one. */
  readonly writes?: boolean | undefined
  /** Is told while the call waits for a person's yes, and when it no longer does: the call is not made before that is done. */
  readonly onWaiting?: ((isWaiting: boolean) => Effect.Effect<void>) | undefined
  /** Runs a program, whose calls pass the gate as this one did. For `execute`; nobody else runs one. */
  readonly execute?: ((code: string) => Effect.Effect<ToolResult>) | undefined
}

/** A tool that a model may call. */
export interface AgentTool {
  readonly name: string
  /** The MCP server it comes from; null for a built-in tool. */
  readonly server: string | null
  /** Where a tool of a server comes from, and under which raw name. */
  readonly origin?: ToolResult["origin"] | undefined
  readonly description: string
  /** The tool of a server behind it, as it was listed; none for a built-in tool. */
  readonly listed?: McpTool | undefined
  /** `ask` of its server's entry names it. `Approval` makes it a tool that asks; no model is given it otherwise. */
  readonly needsApproval?: boolean | undefined
  /** The schema of `run`: as the server declared it, until `SchemaDialect.speak` converts it for one provider. */
  readonly inputSchema: Schema.JsonObject
  /** The hints of the server, such as `readOnlyHint`. To show to a person, never to rely on. */
  readonly annotations?: Schema.JsonObject | undefined
  /** The class of the tool, where it is known. */
  readonly class?: ToolClass | undefined
  /**
   * Where the paths among these arguments lead once links are followed, by argument: relative to the tool's folder, or
   * null for a path that leads out of it. Rules of permissions compare both forms. Arguments that are no paths are not
   * in it.
   */
  readonly real?: ((args: Schema.JsonObject) => Effect.Effect<Readonly<Record<string, string | null>>>) | undefined
  /**
   * The text that stands now where a call with these arguments would write, to show to a person beforehand; null when
   * there is none, when it is no text, and when it is more than 64 kB.
   */
  readonly before?: ((args: Schema.JsonObject) => Effect.Effect<string | null>) | undefined
  /** An estimate of what the definition costs a model's context, in the form `inputSchema` has now. */
  readonly tokens: number
  /** Sent with every request, whatever else is left to search. */
  readonly isAlwaysLoaded: boolean
  /** The provider keeps the definition for itself until a search refers to it. */
  readonly isDeferred?: boolean | undefined
  /** Never fails: whatever goes wrong is an error result that a model can read. Interruption cancels the call. */
  readonly run: (args: unknown, options?: RunOptions) => Effect.Effect<ToolResult>
}
