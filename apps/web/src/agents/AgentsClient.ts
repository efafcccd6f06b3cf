/** The routes that make, change and remove agents. */
import { path, post, put, remove } from "../api/Client.ts"
import type { Agent, AgentPreview, NewAgent } from "../api/Types.ts"

export const createAgent = (agent: NewAgent) => post<Agent>("agents", agent)
export const changeAgent = (name: string, agent: NewAgent) => put<Agent>(path("agents", name), agent)
export const removeAgent = (name: string) => remove(path("agents", name))
export const preview = (patterns: Pick<NewAgent, "tools" | "ask">) => post<AgentPreview>("agents/preview", patterns)
