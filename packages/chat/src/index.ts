/** The public names of chat. */
export { type Agent, type AgentList, type AgentProblem, Agents, ASSISTANT } from "./agents/Agents.ts"
export * as Mention from "./agents/Mention.ts"
export * as ApprovalErrors from "./approvals/ApprovalError.ts"
export * as AskWarnings from "./approvals/AskWarnings.ts"
export { Grant } from "./approvals/Grant.ts"
export { type PendingApproval, ToolApprovals, type ToolApprovalsOptions } from "./approvals/ToolApprovals.ts"
export type { Answer } from "./approvals/WaitingCall.ts"
export { Attachment, Chat, ChatRecord, ChatSummary, ChatTurn, type Message, type NewAttachment } from "./Chat.ts"
export * as ChatErrors from "./ChatError.ts"
export { QueueFull, UnknownAgent, UnknownChat } from "./ChatError.ts"
export * as Attachments from "./chats/Attachments.ts"
export type { ChatChange } from "./chats/ChatNews.ts"
export { type ChatEdit, Chats, type ChatsOptions, type FoundChat } from "./chats/Chats.ts"
export { readAttachment } from "./chats/ResourceAttachment.ts"
export * as SpokenPrompt from "./chats/SpokenPrompt.ts"
export * as CommandMode from "./CommandMode.ts"
export * as Commands from "./Commands.ts"
export * as ChatDocument from "./document/ChatDocument.ts"
export * as HistoryRepair from "./history/HistoryRepair.ts"
export * as NamedTool from "./NamedTool.ts"
export { ApprovalDecision, ApprovalPart, FinishReason, NO_USAGE, Part, Usage } from "./Part.ts"
export * as PromptText from "./PromptText.ts"
export { OpenQuestion, Question, QuestionAnswer, QuestionReply } from "./questions/Question.ts"
export * as QuestionErrors from "./questions/QuestionError.ts"
export { Questions, type QuestionsOptions } from "./questions/Questions.ts"
export {
  type ChatHit,
  ChatStore,
  ChatStoreFailed,
  ChatStoreUnusable,
  type StoredChat,
  type TurnStart
} from "./store/ChatStore.ts"
export { ChatWriter } from "./store/ChatWriter.ts"
export { WorkspaceTools } from "./workspace/WorkspaceTools.ts"
