/** The MCP servers as the verbs see them, whether they run in this command or in a server that was there before it. */
import type { ConfigProblem, FoundTools, ToolDocument } from "@boocode/chat-server/Documents"
import type { ToolQuery } from "@boocode/chat-server/ToolsApi"
import type {
  CallProgress,
  PromptList,
  PromptResult,
  ResourceContent,
  ResourceList,
  ResourceUpdate,
  ServerStatus
} from "@boocode/mcp-registry"
import type { ToolResult } from "@boocode/toolkit"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Failed } from "../terminal/Failure.ts"

export interface ToolList {
  /** Sorted by name. */
  readonly tools: ReadonlyArray<typeof ToolDocument.Type>
  /** What is wrong with the patterns they were selected by. */
  readonly warnings: ReadonlyArray<string>
}

export interface Call {
  readonly tool: string
  readonly args: Schema.JsonObject
  /** How long the tool may be silent; null leaves it to the entry of its server. */
  readonly timeout: Duration.Duration | null
  /** Is told what the tool says of how far it is; null when nobody wants to know. */
  readonly onProgress: ((progress: CallProgress) => Effect.Effect<void>) | null
}

/** What of a resource changed, and when that was heard, in milliseconds since 1970. */
export type Update = Pick<ResourceUpdate, "uri" | "at">

export interface FilledPrompt {
  readonly server: string
  readonly prompt: string
  readonly args: Schema.JsonObject
}

export class Servers extends Context.Service<Servers, {
  /** Every server as it stands, sorted by name. */
  readonly all: Effect.Effect<ReadonlyArray<ServerStatus>, Failed>
  /** What keeps whole files from being used. Servers that ran before may run on. */
  readonly problems: Effect.Effect<ReadonlyArray<typeof ConfigProblem.Type>, Failed>
  /** One server as it stands; a name that nobody has fails with the nearest. */
  readonly one: (name: string) => Effect.Effect<ServerStatus, Failed>
  /** Fails when no agent has this name. */
  readonly agent: (name: string) => Effect.Effect<void, Failed>
  /** Loads what a call will need, for whoever waits for servers first. */
  readonly preload: Effect.Effect<void>
  /** Waits until none of these is connecting any more, null: none at all. Says for whom when that takes long. */
  readonly settled: (names: ReadonlyArray<string> | null) => Effect.Effect<void, Failed>
  /** The tools there are, or those an agent may use. */
  readonly tools: (agent: string | null) => Effect.Effect<ToolList, Failed>
  /** The tools that fit best, of all or of those an agent may use. */
  readonly search: (agent: string | null, query: ToolQuery) => Effect.Effect<typeof FoundTools.Type, Failed>
  /** The prompts of all servers, or of one, which is woken for it. */
  readonly prompts: (server: string | null) => Effect.Effect<PromptList, Failed>
  /** Has a server fill in a prompt. */
  readonly prompt: (given: FilledPrompt) => Effect.Effect<PromptResult & { readonly text: string }, Failed>
  /** The resources of all servers, or of one, which is woken for it. */
  readonly resources: (server: string | null) => Effect.Effect<ResourceList, Failed>
  readonly read: (server: string, uri: string) => Effect.Effect<ReadonlyArray<ResourceContent>, Failed>
  /** Tells as soon as a resource is watched, then each time that it, or one below it, changed; fails when the server cannot tell. */
  readonly watch: (server: string, uri: string) => Stream.Stream<Update, Failed>
  /** Calls a tool once. Its own error is a result. */
  readonly call: (call: Call) => Effect.Effect<ToolResult.ToolResult, Failed>
}>()("cli/Servers") {}
