/**
 * The JSON of the HTTP API, by the names that the page has for it. Each is a schema of the contract (`@boocode/chat-server/api`
 * and the packages that it uses), as a type: nothing of them is in the bundle.
 */
import type * as About from "@boocode/chat-server/api/AboutApi"
import type * as AgentEdits from "@boocode/chat-server/api/AgentEditsApi"
import type * as Asking from "@boocode/chat-server/api/AskingApi"
import type * as Chats from "@boocode/chat-server/api/ChatsApi"
import type * as Commands from "@boocode/chat-server/api/CommandsApi"
import type * as Documents from "@boocode/chat-server/api/Documents"
import type * as Entries from "@boocode/chat-server/api/EntriesApi"
import type * as Logins from "@boocode/chat-server/api/LoginsApi"
import type * as Providers from "@boocode/chat-server/api/ProvidersApi"
import type * as Servers from "@boocode/chat-server/api/ServersApi"
import type * as Tools from "@boocode/chat-server/api/ToolsApi"
import type * as Writes from "@boocode/chat-server/api/WritesApi"
import type * as ChatModel from "@boocode/chat/Chat"
import type * as CommandModel from "@boocode/chat/Commands"
import type * as Parts from "@boocode/chat/Part"
import type * as Questions from "@boocode/chat/Question"
import type * as Registry from "@boocode/mcp-registry/Schemas"
import type * as Schema from "effect/Schema"

export type Json = Schema.Json
export type JsonObject = Schema.JsonObject

export type Part = typeof Parts.Part.Encoded
type PartOf<Type extends Part["type"]> = Extract<Part, { readonly type: Type }>
export type ToolCallPart = PartOf<"tool-call">
export type ToolProgressPart = PartOf<"tool-progress">
export type ToolResultPart = PartOf<"tool-result">
export type WritePart = PartOf<"write">
export type ToolClass = WritePart["class"]
/** A call that waits, with what servers of this version say of it. */
export type ApprovalPart = PartOf<"approval"> & {
  readonly class?: ToolClass
  /** The rule that asks; null where the write mode does. */
  readonly rule?: { readonly text: string; readonly source: string } | null
  /** The text that the call would change, where it is known. */
  readonly before?: string | null
  /** What a yes for more than this call may hold for, the narrowest first. */
  readonly suggestions?: ReadonlyArray<{ readonly where: JsonObject | null; readonly text: string }>
}
export type ApprovalAnswerPart = Omit<PartOf<"approval-answer">, "decision"> & {
  readonly decision: Decision | "expired"
  readonly where?: JsonObject
}
export type QuestionPart = PartOf<"question">
export type QuestionAnswerPart = PartOf<"question-answer">
export type SamplingResultPart = PartOf<"sampling-result">
export type WarningPart = PartOf<"warning">
export type RetryPart = PartOf<"retry">
export type CompactionPart = PartOf<"compaction">
export type MessagePart = PartOf<"message">
export type SummaryPart = PartOf<"summary">
export type FinishPart = PartOf<"finish">
export type FinishReason = FinishPart["reason"]
export type Usage = FinishPart["usage"]

export type Decision = (typeof Asking.ApprovalReply.Encoded)["decision"] | "hour"
export type ApprovalAnswer = Omit<typeof Asking.ApprovalReply.Encoded, "decision" | "where"> & {
  readonly decision: Decision
  readonly where?: JsonObject
}
export type Approvals = typeof Asking.Approvals.Encoded
/** What a person allowed for more than one call; without `where` every call of the tool. */
export type Grant = Approvals["granted"][number] & { readonly where?: JsonObject; readonly until?: string }

export type JournaledWrite = typeof Writes.JournaledWrite.Encoded

export type WriteMode = "off" | "ask" | "rules"
export type Outcome = "allow" | "ask" | "deny"
/** One rule of permissions. What is null does not restrict it. */
export interface PermissionRule {
  readonly outcome: Outcome
  readonly patterns: ReadonlyArray<string>
  readonly class: ReadonlyArray<string> | null
  readonly server: ReadonlyArray<string> | null
  readonly agent: ReadonlyArray<string> | null
  readonly where: JsonObject
  readonly until: string | null
  readonly note: string | null
  /** Such as `permissions.jsonc:4`. */
  readonly source: string
  /** What is the matter with it, such as that it is about no tool. */
  readonly problem: string | null
}
export interface PermissionProblem {
  readonly message: string
  readonly hint: string | null
  readonly line: number | null
  readonly column: number | null
}
/** An example: a call, and what the rules must make of it. */
export interface PermissionExample {
  readonly tool: string
  readonly args: JsonObject
  readonly agent: string | null
  readonly expect: Outcome
}
export interface Permissions {
  readonly write: WriteMode
  readonly rules: ReadonlyArray<PermissionRule>
  readonly grants: ReadonlyArray<Grant>
  readonly problems: ReadonlyArray<PermissionProblem>
  readonly examples: ReadonlyArray<PermissionExample>
  readonly file: string
  /** What stands in the file; null where there is none. */
  readonly text: string | null
}
/** An example that came out in another way; `outcome` is null where nobody knows its tool. */
export interface FailedExample extends PermissionExample {
  readonly outcome: Outcome | null
  readonly why: string
}
export interface ExampleReport {
  readonly passed: number
  readonly failed: ReadonlyArray<FailedExample>
}
type RuleDocument = Omit<PermissionRule, "problem">
/** What becomes of a call, and why. */
export interface Explained {
  readonly outcome: Outcome
  readonly rule: RuleDocument | null
  readonly source: string
  readonly class: ToolClass
  readonly mode: WriteMode
  /** In words that go after `because`. */
  readonly why: string
  readonly applies: ReadonlyArray<RuleDocument>
  readonly others: ReadonlyArray<{ readonly rule: RuleDocument; readonly because: string }>
}

export type Question = typeof Questions.Question.Encoded
export type SamplingRequest = NonNullable<Question["sampling"]>
export type SampledMessage = SamplingRequest["messages"][number]
export type QuestionAnswer = typeof Questions.QuestionReply.Encoded
/** A question that waits, of a chat or of none. */
export type OpenQuestion = typeof Questions.OpenQuestion.Encoded

export type Chat = typeof ChatModel.Chat.Encoded
export type ChatTurn = typeof ChatModel.ChatTurn.Encoded
export type Attachment = typeof ChatModel.Attachment.Encoded
export type PromptMessage = typeof ChatModel.PromptMessage.Encoded
export type ChatSummary = typeof ChatModel.ChatSummary.Encoded & { readonly write?: ChatWrite | null }
/** The write mode that a person gave one chat; `until` is null for as long as the chat is there. */
export interface ChatWrite {
  readonly mode: WriteMode
  readonly until: string | null
}
/** What a person turned off for one chat. */
export type ChatOff = ChatSummary["off"]
/** What is left out stays. */
export type ChatChange = Partial<
  Pick<ChatSummary, "title" | "agent" | "model" | "pinned" | "folder"> & {
    readonly off: Partial<ChatOff>
    /** Null leaves it to permissions.jsonc. */
    readonly write: ChatWrite | null
  }
>
/** A chat in the list; `excerpt` is where the searched words were found. */
export type ListedChat = typeof Chats.ListedChat.Encoded
export type SearchHit = typeof Chats.SearchHit.Encoded
export type NewMessage = typeof Chats.NewMessage.Encoded
export type NewAttachment = NonNullable<NewMessage["attachments"]>[number]

export type Agent = typeof Documents.AgentDocument.Encoded
export type AgentProblem = typeof Documents.AgentProblemDocument.Encoded
export type NewAgent = typeof AgentEdits.NewAgent.Encoded
export type AgentPreview = typeof AgentEdits.AgentPreview.Encoded
export type Models = typeof Documents.Models.Encoded
export type SuggestedModel = Models["models"][number]["suggested"][number]

export type Provider = typeof Providers.ProviderDocument.Encoded
export type ProviderList = typeof Providers.ProviderList.Encoded
export type ProviderKind = Provider["kind"]
export type KindFacts = ProviderList["kinds"][number]
export type ProviderTrial = typeof Providers.ProviderTrial.Encoded

export type ServerStatus = typeof Registry.ServerStatus.Encoded
export type ServerState = ServerStatus["state"]
export type ConfigProblem = typeof Documents.ConfigProblem.Encoded
export type ServerEntry = typeof Entries.EntryDocument.Encoded
export type EntryKey = typeof Entries.EntryKey.Encoded
export type EntryTrial = typeof Entries.TrialDocument.Encoded
export type Pasted = typeof Entries.PastedDocument.Encoded
export type PastedServer = Pasted["servers"][number]
export type ImportReport = typeof Entries.ImportReport.Encoded
export type ImportSource = ImportReport["sources"][number]
export type Reloaded = typeof Servers.Reloaded.Encoded
export type TrustDetails = typeof Registry.TrustDetails.Encoded
export type ToolDifference = NonNullable<TrustDetails["tools"]>
export type LogLine = typeof Registry.LogLine.Encoded
export type Login = typeof Logins.Login.Encoded
export type ServerEvent = typeof Servers.ServerEvents.Encoded

export type Tool = typeof Documents.ToolDocument.Encoded
export type FoundTools = typeof Documents.FoundTools.Encoded
export type CallEvent = typeof Tools.CallEvent.Encoded
export type CallProgress = Omit<Extract<CallEvent, { readonly type: "progress" }>, "type">
export type ToolResult = Extract<CallEvent, { readonly type: "result" }>["result"]

export type Command = typeof CommandModel.Command.Encoded
export type PromptList = typeof Registry.PromptList.Encoded
export type Prompt = PromptList["prompts"][number]
export type PromptArgument = Prompt["arguments"][number]
export type FilledPrompt = typeof Commands.FilledPrompt.Encoded
export type ResourceList = typeof Registry.ResourceList.Encoded
export type Resource = ResourceList["resources"][number]
export type ResourceTemplate = ResourceList["templates"][number]
export type ResourceContent = typeof Registry.ResourceContent.Encoded
export type WatchEvent = typeof Commands.WatchEvent.Encoded
export type Completion = typeof Registry.Completion.Encoded

export type ServerAbout = typeof About.AboutDocument.Encoded
export type Setting = typeof About.SettingDocument.Encoded
export type Settings = typeof About.SettingsDocument.Encoded
