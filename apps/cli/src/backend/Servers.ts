/** The MCP servers as the verbs see them: those of a running server, or those that this command starts. */
import type { ConfigProblem, FoundTools, ToolDocument } from "@boocode/chat-server/Documents"
import type { ToolQuery } from "@boocode/chat-server/ToolsApi"
import {
  type CallProgress,
  type PromptList,
  type PromptResult,
  type ResourceContent,
  type ResourceList,
  type ResourceUpdate,
  type ServerStatus,
  ToolName
} from "@boocode/mcp-registry"
import type { PermissionRule, ToolResult } from "@boocode/toolkit"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import type { Failed } from "../terminal/Failure.ts"

export interface ToolList {
  /** Sorted by name. */
  readonly tools: ReadonlyArray<typeof ToolDocument.Type>
  /** Mistakes in the patterns that selected them. */
  readonly warnings: ReadonlyArray<string>
}

export interface Call {
  readonly tool: string
  readonly args: Schema.JsonObject
  /** How long the tool may be silent; null leaves it to the entry of its server. */
  readonly timeout: Duration.Duration | null
  /** Whether the person said yes to this very call, which one of a tool that writes needs. */
  readonly isApproved: boolean
  /** Gets the progress notifications of the tool; null when nobody shows them. */
  readonly onProgress: ((progress: CallProgress) => Effect.Effect<void>) | null
}

/** Every server, why whole files cannot be used, and the write mode. Servers that ran before may still run. */
export interface ServerListing {
  readonly servers: ReadonlyArray<ServerStatus>
  readonly problems: ReadonlyArray<typeof ConfigProblem.Type>
  /** `write` of permissions.jsonc. */
  readonly write: PermissionRule.WriteMode
}

export class Servers extends Context.Service<Servers, {
  /** Every server and its state, sorted by name. */
  readonly all: Effect.Effect<ReadonlyArray<ServerStatus>, Failed>
  /** Waits until none of these servers is connecting; null waits for all. Names them when that takes long. */
  readonly settled: (names: ReadonlyArray<string> | null) => Effect.Effect<ServerListing, Failed>
  /** All tools, or those that an agent may use. Waits for no server. */
  readonly tools: (agent: string | null) => Effect.Effect<ToolList, Failed>
  /** All tools that `call` takes, also those that are kept from models because they write. Waits for no server. */
  readonly callable: Effect.Effect<ToolList["tools"], Failed>
  /** The tools that fit best, of all or of those that an agent may use. */
  readonly search: (agent: string | null, query: ToolQuery) => Effect.Effect<typeof FoundTools.Type, Failed>
  /** The prompts of all servers, or of one, which is started for it. */
  readonly prompts: (server: string | null) => Effect.Effect<PromptList, Failed>
  readonly prompt: (
    server: string,
    prompt: string,
    args: Schema.JsonObject
  ) => Effect.Effect<PromptResult & { readonly text: string }, Failed>
  /** The resources of all servers, or of one, which is started for it. */
  readonly resources: (server: string | null) => Effect.Effect<ResourceList, Failed>
  readonly read: (server: string, uri: string) => Effect.Effect<ReadonlyArray<ResourceContent>, Failed>
  /** The first update comes when the subscription stands, then one for each change of the resource or of one below it. */
  readonly watch: (server: string, uri: string) => Stream.Stream<Pick<ResourceUpdate, "uri" | "at">, Failed>
  /** Calls a tool once. An error of the tool itself is a result. Fails with `YesNeeded` before it is made without a yes. */
  readonly call: (call: Call) => Effect.Effect<ToolResult.ToolResult, Failed>
}>()("cli/Servers") {}

/** One server and its state. Fails with the nearest name when there is none of this name. */
export const one = Effect.fnUntraced(function*(name: string) {
  const all = yield* (yield* Servers).all
  const names = all.map((server) => server.name)
  return all.find((server) => server.name === name) ?? (yield* ErrorHints.unknownServer(name, names))
})

/**
 * The servers that may have the tool, by the beginning of its name; null for all, when none fits. A built-in tool needs no
 * server, unless it is about resources.
 */
export const ownersOf = (tool: string, names: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  if (ToolName.RESERVED.has(tool)) return tool.startsWith("resources_") ? null : []
  const owners = names.filter((name) => ToolName.owner(tool, [name]) !== null)
  return owners.length === 0 ? null : owners
}
