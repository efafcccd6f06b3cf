/** What the HTTP API speaks, as far as the page reads it. The contract is `apps/chat-server/src/api`. */

import type { Approval, JsonObject, Part, Question, Usage } from "./Parts.ts"

export * from "./Parts.ts"

export interface Attachment {
  readonly id: string
  readonly kind: "image" | "resource"
  readonly name: string
  readonly mediaType: string
  readonly bytes: number
  readonly server: string | null
  readonly uri: string | null
}

export interface ChatTurn {
  readonly turn: number
  readonly text: string
  readonly agent: string
  readonly model: string
  readonly createdAt?: string
  readonly state?: "waiting" | "running" | "ended"
  readonly replacedBy?: number | null
  readonly attachments?: ReadonlyArray<Attachment>
  readonly parts: ReadonlyArray<Part>
}

export interface ChatSummary {
  readonly id: string
  readonly title: string
  readonly titledBy?: "none" | "message" | "model" | "person"
  /** What its title cost. */
  readonly titleUsage?: Usage
  readonly agent: string | null
  readonly model: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly running: number | null
  readonly waiting?: number
  readonly approvals?: number
  /** What servers ask in it that nobody answered yet. */
  readonly questions?: number
  /** Where the searched words were found; null without a search. */
  readonly excerpt?: string | null
}

export interface Chat extends ChatSummary {
  readonly usage?: Usage
  readonly turns: ReadonlyArray<ChatTurn>
}

export type NewAttachment =
  | { readonly kind: "image"; readonly name: string; readonly mediaType: string; readonly data: string }
  | { readonly kind: "resource"; readonly server: string; readonly uri: string }

/** What one side says in a prompt that a server filled in. */
export interface PromptMessage {
  readonly role: "user" | "assistant"
  readonly text: string
}

export interface NewMessage {
  readonly text: string
  readonly prompt?: ReadonlyArray<PromptMessage>
  readonly agent?: string | null
  readonly model?: string | null
  readonly replaces?: number
  readonly attachments?: ReadonlyArray<NewAttachment>
}

export interface Agent {
  readonly name: string
  readonly description: string | null
  readonly model: string | null
  readonly tools: ReadonlyArray<string> | null
  readonly steps: number
  readonly temperature?: number | null
  /** Patterns over the names of tools that ask a person first. */
  readonly ask?: ReadonlyArray<string> | null
  readonly file?: string | null
  readonly line?: number | null
}

export interface AgentProblem {
  readonly name: string | null
  readonly file: string
  readonly line: number
  readonly message: string
}

export interface SuggestedModel {
  readonly id: string
  readonly contextTokens: number | null
  /** In US dollars for a million tokens. */
  readonly inputPrice: number | null
  readonly outputPrice: number | null
}

export interface Models {
  readonly default: string | null
  readonly models: ReadonlyArray<
    {
      readonly provider: string
      readonly ready: boolean
      readonly missing: string | null
      readonly example: string
      readonly suggested?: ReadonlyArray<SuggestedModel>
    }
  >
  readonly command: { readonly active: boolean; readonly help: string }
}

export type ServerState = "connecting" | "ready" | "failed" | "needs-auth" | "needs-approval" | "disabled" | "stopped"

export interface ServerStatus {
  readonly name: string
  readonly state: ServerState
  readonly transport: string | null
  readonly source: string
  readonly isTrusted: boolean
  readonly tools: number
  readonly undeclared: number
  /** Tools that models call after a person's yes only. */
  readonly asks?: number
  readonly tokens: number
  readonly rejected: ReadonlyArray<{ readonly tool: string; readonly reason: string }>
  /** How many more were rejected than are named. */
  readonly rejectedMore: number
  readonly warnings: ReadonlyArray<string>
  readonly protocolVersion: string | null
  readonly serverInfo: { readonly name: string; readonly version: string } | null
  /** The server's own words on how to use it. */
  readonly instructions: string | null
  readonly capabilities: {
    readonly tools: boolean
    readonly prompts: boolean
    readonly resources: boolean
    readonly subscribe: boolean
    readonly completions: boolean
    readonly logging: boolean
  } | null
  /** Null where the server sends no log messages. */
  readonly logLevel: string | null
  readonly auth: {
    readonly signedIn: boolean
    readonly issuer: string | null
    readonly scopes: ReadonlyArray<string>
    readonly expiresAt: string | null
  } | null
  readonly pid: number | null
  readonly connectMillis: number | null
  /** How far the last attempt at a connection got. */
  readonly steps: ReadonlyArray<{ readonly step: string; readonly millis: number }>
  readonly restarts: number
  readonly idle: boolean
  readonly toolsChanged: number
  readonly error: {
    readonly _tag: string
    readonly message: string
    readonly hint: string
    readonly stderr: string | null
  } | null
}

export interface ConfigProblem {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
  readonly message: string
  readonly hint: string
}

export interface Tool {
  readonly name: string
  readonly server: string
  readonly tool: string
  readonly title: string | null
  readonly description: string | null
  readonly inputSchema: JsonObject
  readonly annotations: JsonObject
  /** Models call it after a person's yes only. */
  readonly needsApproval?: boolean
  readonly tokens: number
}

export interface PromptArgument {
  readonly name: string
  readonly description: string | null
  readonly required: boolean
}

export interface Prompt {
  readonly server: string
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  readonly arguments: ReadonlyArray<PromptArgument>
}

export interface Resource {
  readonly server: string
  readonly uri: string
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  readonly mimeType: string | null
  readonly size: number | null
}

export interface Command {
  /** Without its slash. */
  readonly name: string
  readonly description: string | null
  /** What follows the name. */
  readonly argument: { readonly name: string; readonly required: boolean } | null
  readonly places: ReadonlyArray<"page" | "terminal">
}

export interface PendingApproval extends Approval {
  readonly chat: string
}

/** A question that waits, of a chat or of none. */
export interface OpenQuestion extends Question {
  readonly chat: string | null
}

export interface Grant {
  /** Null for a built-in tool. */
  readonly server: string | null
  readonly tool: string
  readonly name: string
  readonly since: string
}

/** What `GET /api/events` says. */
export type NewsEvent =
  | ({ readonly type: "server" } & ServerStatus)
  | {
    readonly type: "configuration"
    readonly servers: ReadonlyArray<string>
    readonly added: ReadonlyArray<string>
    readonly removed: ReadonlyArray<string>
    readonly changed: ReadonlyArray<string>
    readonly problems: ReadonlyArray<ConfigProblem>
  }
  | { readonly type: "chat"; readonly chat: ChatSummary }
  | { readonly type: "chat-removed"; readonly id: string }
  | { readonly type: "agents" }
  | ({ readonly type: "question" } & OpenQuestion)
  | { readonly type: "question-answer"; readonly id: string }
