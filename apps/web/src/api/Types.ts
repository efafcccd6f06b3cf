/**
 * The JSON of the HTTP API, by the names that the page has for it. Each is a schema of the contract (`@boocode/chat-server/api`
 * and the packages that it uses), as a type: nothing of them is in the bundle.
 */
import type * as About from "@boocode/chat-server/api/AboutApi"
import type * as AgentEdits from "@boocode/chat-server/api/AgentEditsApi"
import type * as Asking from "@boocode/chat-server/api/AskingApi"
import type * as Chats from "@boocode/chat-server/api/ChatsApi"
import type * as Clients from "@boocode/chat-server/api/clients/ClientsApi"
import type * as Commands from "@boocode/chat-server/api/CommandsApi"
import type * as Documents from "@boocode/chat-server/api/Documents"
import type * as Entries from "@boocode/chat-server/api/EntriesApi"
import type * as Logins from "@boocode/chat-server/api/LoginsApi"
import type * as Permission from "@boocode/chat-server/api/PermissionsApi"
import type * as Providers from "@boocode/chat-server/api/ProvidersApi"
import type * as Published from "@boocode/chat-server/api/published/RegistryApi"
import type * as Servers from "@boocode/chat-server/api/ServersApi"
import type * as Tools from "@boocode/chat-server/api/ToolsApi"
import type * as Writes from "@boocode/chat-server/api/WritesApi"
import type * as Drafts from "@boocode/chat/CallDrafts"
import type * as ChatModel from "@boocode/chat/Chat"
import type * as CommandModel from "@boocode/chat/Commands"
import type * as Parts from "@boocode/chat/Part"
import type * as Questions from "@boocode/chat/Question"
import type * as Registry from "@boocode/mcp-registry/Schemas"
import type * as Schema from "effect/Schema"

export type Json = Schema.Json
export type JsonObject = Schema.JsonObject

export type Part = typeof Parts.Part.Encoded
/** A piece of the arguments that a model writes just now. */
export type CallDraft = typeof Drafts.CallDraft.Encoded
type PartOf<Type extends Part["type"]> = Extract<Part, { readonly type: Type }>
export type ToolCallPart = PartOf<"tool-call">
export type ToolProgressPart = PartOf<"tool-progress">
export type ToolResultPart = PartOf<"tool-result">
export type WritePart = PartOf<"write">
export type ToolClass = WritePart["class"]
export type ApprovalPart = PartOf<"approval">
export type ApprovalAnswerPart = PartOf<"approval-answer">
export type QuestionPart = PartOf<"question">
export type QuestionAnswerPart = PartOf<"question-answer">
export type SamplingResultPart = PartOf<"sampling-result">
export type WarningPart = PartOf<"warning">
export type RetryPart = PartOf<"retry">
export type CompactionPart = PartOf<"compaction">
export type MessagePart = PartOf<"message">
export type SummaryPart = PartOf<"summary">
export type SourcePart = PartOf<"source">
export type FinishPart = PartOf<"finish">
export type FinishReason = FinishPart["reason"]
export type Usage = FinishPart["usage"]

export type ApprovalAnswer = typeof Asking.ApprovalReply.Encoded
export type Decision = ApprovalAnswer["decision"]
/** The conditions on the arguments of a call, by name. */
export type Where = NonNullable<ApprovalAnswer["where"]>
export type Wanted = Where[string]
export type Approvals = typeof Asking.Approvals.Encoded
export type Grant = Approvals["granted"][number]

export type McpClients = typeof Clients.Clients.Encoded
export type AddedClient = McpClients["known"][number] & { readonly token: string }

export type JournaledWrite = typeof Writes.JournaledWrite.Encoded

export type Permissions = typeof Permission.Permissions.Encoded
export type WriteMode = Permissions["write"]
export type ListedRule = Permissions["rules"][number]
export type RuleDocument = typeof Permission.RuleDocument.Encoded
export type Outcome = RuleDocument["outcome"]
/** A call, and what the rules must make of it. */
export type PermissionExample = Permissions["examples"][number]
export type FailedExample = typeof Permission.FailedExample.Encoded
export type ExampleReport = typeof Permission.ExampleReport.Encoded
/** The outcome for a call, with its reason. */
export type Explained = typeof Permission.Explanation.Encoded

export type Question = typeof Questions.Question.Encoded
/** A call that another program wants to make. */
export type WantedCall = NonNullable<Question["wanted"]>
export type SamplingRequest = NonNullable<Question["sampling"]>
export type SampledMessage = SamplingRequest["messages"][number]
export type QuestionAnswer = typeof Questions.QuestionReply.Encoded
/** A question that waits, of a chat or of none. */
export type OpenQuestion = typeof Questions.OpenQuestion.Encoded

export type Chat = typeof ChatModel.Chat.Encoded
export type ChatTurn = typeof ChatModel.ChatTurn.Encoded
export type Attachment = typeof ChatModel.Attachment.Encoded
export type PromptMessage = typeof ChatModel.PromptMessage.Encoded
export type ChatSummary = typeof ChatModel.ChatSummary.Encoded
/** The write mode that a person gave one chat. */
export type ChatWrite = NonNullable<ChatSummary["write"]>
/** The servers and tools that a person turned off for one chat. */
export type ChatOff = ChatSummary["off"]
/** The change of a chat. An absent key stays. */
export type ChatChange = Partial<
  Pick<ChatSummary, "title" | "agent" | "model" | "pinned" | "folder" | "write"> & { readonly off: Partial<ChatOff> }
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
export type ConfigProblem = typeof Documents.ConfigProblem.Encoded
export type ServerEntry = typeof Entries.EntryDocument.Encoded
export type EntryKey = typeof Entries.EntryKey.Encoded
export type EntryTrial = typeof Entries.TrialDocument.Encoded
export type Pasted = typeof Entries.PastedDocument.Encoded
export type PastedServer = Pasted["servers"][number]
export type Connections = typeof Entries.Connections.Encoded
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

export type PublishedSummary = typeof Published.PublishedSummary.Encoded
export type PublishedDetails = typeof Published.PublishedDetails.Encoded
export type PublishedCandidate = typeof Published.PublishedCandidate.Encoded
export type PublishedInput = typeof Published.PublishedInput.Encoded
export type OutdatedServer = typeof Published.OutdatedServer.Encoded
export type Upgrade = typeof Published.UpgradeDocument.Encoded
/** The server that an install writes, or would write. */
export type WantedServer = typeof Published.WantedServer.Encoded
export type WantedUpgrade = Omit<typeof Published.WantedUpgrade.Encoded, "dryRun">
export type Installed = typeof Published.InstallDocument.Encoded
