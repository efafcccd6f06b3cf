/** The routes of the API that the page uses, one function each. */
import { ask, get, patch, path, post, query, remove } from "./Client.ts"
import type {
  Agent,
  AgentProblem,
  ApprovalAnswer,
  Approvals,
  Chat,
  ChatChange,
  ChatSummary,
  Command,
  Completion,
  FilledPrompt,
  JournaledWrite,
  ListedChat,
  Models,
  NewMessage,
  OpenQuestion,
  Permissions,
  PromptList,
  QuestionAnswer,
  ResourceList,
  SearchHit,
  ServerAbout,
  SummaryPart,
  Tool
} from "./Types.ts"

export const getAbout = () => get<ServerAbout>("about")
export const listChats = () => get<{ chats: ReadonlyArray<ListedChat> }>("chats")
/** The places at which the words stand. */
export const searchChats = (q: string, signal?: AbortSignal) =>
  get<{ hits: ReadonlyArray<SearchHit> }>(query("chats/search", { q, limit: 30 }), signal)
export const getChat = (id: string) => get<Chat>(path("chats", id))
export const createChat = (of: { agent: string | null; model: string | null }) => post<ChatSummary>("chats", of)
export const changeChat = (id: string, change: ChatChange) => patch<ChatSummary>(path("chats", id), change)
export const forkChat = (id: string, turn: number) => post<ChatSummary>(path("chats", id, "fork"), { turn })
export const removeChat = (id: string) => remove(path("chats", id))
export const stopChat = (id: string) => post<null>(path("chats", id, "stop"))
/** The running turn takes the message at its next step. */
export const hurryQueued = (id: string, turn: number) => post<null>(path("chats", id, "queue", turn, "now"))
export const dropQueued = (id: string, turn: number) => remove(path("chats", id, "queue", turn))
export const editSummary = (id: string, summary: string, text: string) =>
  patch<SummaryPart>(path("chats", id, "summaries", summary), { text })
/** The address of a file that a tool gave. */
export const resultFileAddress = (id: string, call: string, file: string) =>
  `/api/${path("chats", id, "calls", call, "files", file)}`
export const fileAddress = (id: string, file: string) => `/api/${path("chats", id, "files", file)}`
export const exportAddress = (id: string, format: "json" | "markdown") =>
  `/api/${query(path("chats", id, "export"), { format })}`

/**
 * Sends a message. Its parts come by the chat's events, so the answer's own stream is let go of; the turn goes on.
 * Gives the number of the turn when the message waits behind a running one.
 */
export const send = async (id: string, message: NewMessage): Promise<number | null> => {
  const response = await ask("POST", path("chats", id, "messages"), {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message)
  })
  if (response.status === 202) return Number((await response.json()).turn)
  await response.body?.cancel()
  return null
}

/** A file that `exportAddress` gave, of this server or another. */
export const importChat = async (file: File): Promise<ChatSummary> => {
  const isMarkdown = /\.(md|markdown)$/i.test(file.name)
  const response = await ask("POST", "chats/import", {
    headers: { "content-type": isMarkdown ? "text/markdown" : "application/json" },
    body: await file.text()
  })
  return response.json()
}

export const answerApproval = (
  chat: string,
  approval: string,
  answer: ApprovalAnswer
) => post<null>(path("chats", chat, "approvals", approval), answer)
/** Brings back what a write replaced, where nothing changed it since. */
export const undoWrite = (chat: string, write: string) =>
  post<{ undone: true; text: string }>(path("chats", chat, "writes", write, "undo"))
/** The newest first. */
export const listWrites = (chat: string) =>
  get<{ writes: ReadonlyArray<JournaledWrite> }>(path("chats", chat, "writes"))
export const getPermissions = () => get<Permissions>("permissions")
export const listApprovals = () => get<Approvals>("approvals")
export const revokeGrant = (name: string) => remove(path("approvals", "granted", name))

export const listQuestions = () => get<{ questions: ReadonlyArray<OpenQuestion> }>("questions")
export const answerQuestion = (id: string, answer: QuestionAnswer) => post<null>(path("questions", id), answer)

export const listAgents = () => get<{ agents: ReadonlyArray<Agent>; problems: ReadonlyArray<AgentProblem> }>("agents")
export const listModels = () => get<Models>("models")
/** The tools; for an agent, those that its patterns allow. */
export const listTools = (agent: string | null = null, signal?: AbortSignal) =>
  get<{ tools: ReadonlyArray<Tool>; warnings: ReadonlyArray<string> }>(query("tools", { agent }), signal)
export const listCommands = () => get<{ commands: ReadonlyArray<Command> }>("commands")
export const listPrompts = (signal?: AbortSignal) => get<PromptList>("prompts", signal)
export const usePrompt = (server: string, prompt: string, args: Readonly<Record<string, string>>) =>
  post<FilledPrompt>(path("mcp", "servers", server, "prompts", prompt), { args })
export const listResources = (q = "", signal?: AbortSignal) => get<ResourceList>(query("resources", { q }), signal)
export const completeArgument = (
  server: string,
  prompt: string,
  argument: { name: string; value: string },
  others: Readonly<Record<string, string>>
) =>
  post<Completion>(path("mcp", "servers", server, "complete"), {
    ref: { type: "ref/prompt", name: prompt },
    argument,
    context: { arguments: others }
  })
