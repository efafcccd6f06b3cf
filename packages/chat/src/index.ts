/** The public names of chat. */
export { type Agent, type AgentList, type AgentProblem, Agents } from "./Agents.ts"
export { UnknownAgent, UnknownChat } from "./ChatError.ts"
export { Chat, Chats, ChatSummary, ChatTurn, type Message } from "./Chats.ts"
export { FinishReason, Part, Usage } from "./Part.ts"
