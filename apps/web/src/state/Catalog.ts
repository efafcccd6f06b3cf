/** The things to choose from: agents, models, the tools of the MCP servers; and whether those that write are called. */
import { computed, signal } from "@preact/signals"
import { getAbout, listAgents, listModels, listTools } from "../api/Api.ts"
import type { Agent, AgentProblem, Models, Tool, WriteMode } from "../api/Types.ts"
import { ownCommand } from "../ui/code/ShownCommand.ts"
import { getJson } from "./Loading.ts"

export const agents = signal<ReadonlyArray<Agent>>([])
export const agentProblems = signal<ReadonlyArray<AgentProblem>>([])
/** Null until it is known. */
export const models = signal<Models | null>(null)
export const tools = signal<ReadonlyArray<Tool>>([])
/** By the names that models know them by. */
export const toolsByName = computed(() => new Map(tools.value.map((tool) => [tool.name, tool])))

/** The write mode of chats that have none of their own, as permissions.jsonc says. */
export const fileMode = signal<WriteMode>("off")
/** How often files of permissions changed while the page was open. */
export const rulesVersion = signal(0)

export const loadOwnCommand = () => {
  void getJson(getAbout(), ({ command }) => {
    ownCommand.value = command
  })
}

export const loadModels = () => {
  void getJson(listModels(), (answer) => {
    models.value = answer
  })
}

export const loadAgents = () => {
  void getJson(listAgents(), (answer) => {
    agents.value = answer.agents
    agentProblems.value = answer.problems
  })
  loadModels()
}

let isWaiting = false

/** Reads the tools anew, once for many changes that come together. */
export const loadTools = () => {
  if (isWaiting) return
  isWaiting = true
  setTimeout(() => {
    isWaiting = false
    void getJson(listTools(), (answer) => {
      tools.value = answer.tools
    })
  }, 150)
}
