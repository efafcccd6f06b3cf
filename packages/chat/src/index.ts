/** The public names of chat. */
export { type Agent, type AgentList, type AgentProblem, Agents, ASSISTANT } from "./Agents.ts"
export { Chat, ChatRecord, ChatSummary, ChatTurn, type Message } from "./Chat.ts"
export { QueueFull, UnknownAgent, UnknownChat } from "./ChatError.ts"
export { Chats, type ChatsOptions } from "./Chats.ts"
export { ChatStore, type StoredChat, type TurnStart } from "./ChatStore.ts"
export * as CommandMode from "./CommandMode.ts"
export { FinishReason, Part, Usage } from "./Part.ts"
export { WorkspaceTools } from "./WorkspaceTools.ts"
