/** The chats: those of a running server, or those of the database, whose turns run in this command. */
import type { Answer, Chat, ChatSummary, ChatWrite, Part, QuestionReply } from "@boocode/chat"
import type { JournaledWrite } from "@boocode/chat-server/api/WritesApi"
import type { ToolDocument } from "@boocode/chat-server/Documents"
import type { ServerStatus } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Failed } from "../terminal/Failure.ts"

/** The agent and model of a chat; null leaves it to agents, settings and environment. */
export interface Partner {
  readonly agent: string | null
  readonly model: string | null
}

/** A file as it goes with a message: an `image` has to be one, a `file` becomes what its bytes are. */
export interface AttachedFile {
  readonly kind: "file" | "image"
  readonly name: string
  readonly data: Uint8Array
}

export interface Message {
  readonly text: string
  readonly attachments?: ReadonlyArray<AttachedFile> | undefined
  /** The turn that is tried again. */
  readonly replaces?: number | undefined
}

export type Format = "json" | "markdown"

export type ListedChat = ChatSummary & {
  /** The text around the words that were found; null in a list without words. */
  readonly excerpt: string | null
}

/** A change of a chat; what is left out stays. */
export type ChatChange = Partial<Pick<ChatSummary, "agent" | "model" | "pinned" | "folder" | "off" | "write">>

export class LocalModels extends Context.Service<LocalModels, {
  readonly names: Effect.Effect<ReadonlyArray<string>>
  /** The model where nobody else names one; null is the command mode. */
  readonly standard: Effect.Effect<string | null>
}>()("cli/LocalModels") {}

export class ChatBackend extends Context.Service<ChatBackend, {
  /** The last used first; with words only the chats that contain all of them. */
  readonly list: (words: string | null, limit: number) => Effect.Effect<ReadonlyArray<ListedChat>, Failed>
  readonly get: (id: string) => Effect.Effect<Chat, Failed>
  readonly create: (partner: Partner) => Effect.Effect<ChatSummary, Failed>
  readonly update: (id: string, change: ChatChange) => Effect.Effect<ChatSummary, Failed>
  /** A new chat with every turn up to and including this one. */
  readonly fork: (id: string, turn: number) => Effect.Effect<ChatSummary, Failed>
  readonly remove: (id: string) => Effect.Effect<void, Failed>
  readonly export: (id: string, format: Format) => Effect.Effect<string, Failed>
  readonly import: (text: string, format: Format) => Effect.Effect<ChatSummary, Failed>
  /** Starts the turn of a message, or queues it. Gives the turn's parts where they come at once, else its number. */
  readonly send: (id: string, message: Message) => Effect.Effect<number | Stream.Stream<Part, Failed>, Failed>
  /** The parts with a `seq` above this one, as they come. */
  readonly events: (id: string, after: number) => Stream.Stream<Part, Failed>
  /** Stops the turn that runs. No running turn is no error. */
  readonly stop: (id: string) => Effect.Effect<void>
  readonly answer: (id: string, approval: string, answer: Answer) => Effect.Effect<void, Failed>
  readonly reply: (question: string, reply: QuestionReply) => Effect.Effect<void, Failed>
  /** The writes of a chat's tools, the newest first, as far as they can be undone now. */
  readonly writes: (id: string) => Effect.Effect<ReadonlyArray<typeof JournaledWrite.Type>, Failed>
  /** Undoes one write, by its id or that of its call. Gives what was done, in words for a person. */
  readonly undo: (id: string, write: string) => Effect.Effect<string, Failed>
  /** The models that could answer, named by agent, settings or environment. */
  readonly modelsOf: (agent: string | null) => Effect.Effect<ReadonlyArray<string | null | undefined>, Failed>
  readonly agents: Effect.Effect<ReadonlyArray<{ readonly name: string; readonly description: string | null }>, Failed>
  /** Ids of models that could answer, such as `openai/gpt-5`. Asks providers on this machine and elsewhere for 2 s at most. */
  readonly models: Effect.Effect<ReadonlyArray<string>, Failed>
  readonly servers: Effect.Effect<ReadonlyArray<ServerStatus>, Failed>
  /** The tools of servers that an agent may use. */
  readonly tools: (agent: string | null) => Effect.Effect<ReadonlyArray<typeof ToolDocument.Type>, Failed>
  /** The write mode of chats that have none of their own: `write` of permissions.jsonc. Null when it cannot be told. */
  readonly standardWrite: Effect.Effect<ChatWrite["mode"] | null, Failed>
  /** Waits until the servers are ready or have failed. */
  readonly settled: Effect.Effect<void>
}>()("cli/ChatBackend") {}
