/** The public names of chat. */
export type { Agent, AgentProblem } from "./agents/Agent.ts"
export type { AgentDraft } from "./agents/AgentEdit.ts"
export { AgentEditor } from "./agents/AgentEditor.ts"
export { AgentConflict, AgentRefused } from "./agents/AgentError.ts"
export { type AgentList, Agents, ASSISTANT } from "./agents/Agents.ts"
export * as Mention from "./agents/Mention.ts"
export * as AppCall from "./apps/AppCall.ts"
export * as AppDocument from "./apps/AppDocument.ts"
export * as AppErrors from "./apps/AppError.ts"
export * as ChatApp from "./apps/ChatApp.ts"
export { Grant } from "./asking/AllowedTools.ts"
export type { Denied, Guard, GuardedTurn } from "./asking/CallGate.ts"
export * as OwnCall from "./asking/OwnCall.ts"
export type { Answer } from "./asking/PendingApproval.ts"
export * as PermissionReport from "./asking/PermissionReport.ts"
export { Questions, type QuestionsOptions } from "./asking/Questions.ts"
export { type OpenApproval, ToolApprovals, type ToolApprovalsOptions } from "./asking/ToolApprovals.ts"
export * as ToolPreview from "./asking/ToolPreview.ts"
export type { ChatsOptions } from "./chats/ChatEngine.ts"
export type { ChatChange } from "./chats/ChatNews.ts"
export { Chats } from "./chats/Chats.ts"
export type { FoundChat } from "./chats/ChatsService.ts"
export type { BegunChat, SaidMessage } from "./exchange/BegunChat.ts"
export * as ChatDocument from "./exchange/ChatDocument.ts"
export * as JsonElements from "./exchange/JsonElements.ts"
export * as HistoryRepair from "./history/HistoryRepair.ts"
export * as Audit from "./journal/Audit.ts"
export { OwnWrites } from "./journal/OwnWrites.ts"
export * as ServerTarget from "./journal/ServerTarget.ts"
export * as Undo from "./journal/Undo.ts"
export { type JournaledWrite, Undos } from "./journal/Undos.ts"
export * as WriteJournal from "./journal/WriteJournal.ts"
export { readAttachment } from "./messages/ResourceAttachment.ts"
export * as SlashMessage from "./messages/SlashMessage.ts"
export * as ApprovalErrors from "./model/ApprovalError.ts"
export { CallDenied, YesNeeded } from "./model/ApprovalError.ts"
export * as Attachments from "./model/Attachments.ts"
export {
  Attachment,
  Chat,
  type ChatEdit,
  ChatOff,
  ChatRecord,
  ChatSummary,
  ChatTurn,
  ChatWrite,
  type Message,
  type NewAttachment,
  NOTHING_OFF
} from "./model/Chat.ts"
export * as ChatErrors from "./model/ChatError.ts"
export { QueueFull, UnknownAgent, UnknownChat } from "./model/ChatError.ts"
export * as CommandMode from "./model/CommandMode.ts"
export * as Commands from "./model/Commands.ts"
export * as ModelChoice from "./model/ModelChoice.ts"
export {
  AllowedBy,
  ApprovalDecision,
  ApprovalPart,
  FinishReason,
  NO_USAGE,
  Part,
  Usage,
  WriteOutcome,
  WritePart
} from "./model/Part.ts"
export * as PromptText from "./model/PromptText.ts"
export { OpenQuestion, ProgramCall, Question, QuestionAnswer, QuestionReply } from "./model/Question.ts"
export * as QuestionErrors from "./model/QuestionError.ts"
export { CallHooks, type HookAnswer, type HookCall } from "./permissions/CallHooks.ts"
export * as OutsideVerdict from "./permissions/OutsideVerdict.ts"
export { PermissionFiles } from "./permissions/PermissionFiles.ts"
export { LimitReached, type OverLimit, Spending, type SpentBy, TurnsAtOnce } from "./spending/Spending.ts"
export * as AwayDatabase from "./store/AwayDatabase.ts"
export {
  type ChatHit,
  ChatStore,
  ChatStoreFailed,
  ChatStoreUnusable,
  ChatWriter,
  type StoredChat,
  type TurnStart
} from "./store/ChatStore.ts"
export * as MemoryChatStore from "./store/MemoryChatStore.ts"
export type { TextHit } from "./store/SearchHits.ts"
export * as SqlChatStore from "./store/SqlChatStore.ts"
export * as UndoErrors from "./store/UndoError.ts"
export { UndoStore } from "./store/UndoStore.ts"
export * as NamedTool from "./tools/NamedTool.ts"
export { WorkspaceTools } from "./tools/WorkspaceTools.ts"
export * as OfferedTools from "./turn/OfferedTools.ts"
export { asOwner, byId, CurrentUser, FIRST, isAlone, People, User } from "./users/CurrentUser.ts"
export * as PersonRegistry from "./users/PersonRegistry.ts"
export * as SeenRegistries from "./users/SeenRegistries.ts"
export { WorkspaceWrites } from "./workspace/WorkspaceWrites.ts"
