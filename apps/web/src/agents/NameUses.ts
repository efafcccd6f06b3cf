/** The places that name a server or an agent besides itself, and giving them the new name. */
import { changeChat } from "../api/Api.ts"
import type { Agent, ChatSummary, ListedRule } from "../api/Types.ts"
import { ofAgent, toAgent } from "./AgentDraft.ts"
import { changeAgent } from "./AgentsClient.ts"

export interface Renaming {
  readonly of: "server" | "agent"
  readonly before: string
  readonly after: string
}

export interface NameUses {
  readonly agents: ReadonlyArray<Agent>
  readonly chats: ReadonlyArray<ChatSummary>
  /** The rules of files of permissions, which a person changes. */
  readonly rules: ReadonlyArray<ListedRule>
}

interface Known {
  readonly agents: ReadonlyArray<Agent>
  readonly chats: ReadonlyArray<ChatSummary>
  readonly rules: ReadonlyArray<ListedRule>
  /** The names of all servers: one may begin with the name of another. */
  readonly servers: ReadonlyArray<string>
}

/** The beginning of the names of a server's tools. */
const prefixOf = (server: string): string => `${server.replace(/[^A-Za-z0-9_-]/g, "_")}_`

const namesServer = (pattern: string, server: string, servers: ReadonlyArray<string>): boolean => {
  const plain = pattern.replace(/^!/, "")
  const prefix = prefixOf(server)
  return plain.startsWith(prefix) &&
    !servers.some((other) => prefixOf(other).length > prefix.length && plain.startsWith(prefixOf(other)))
}

const isInFile = ({ source }: ListedRule): boolean => /permissions\.jsonc/.test(source)

export const usesOf = ({ before, of }: Renaming, { agents, chats, rules, servers }: Known): NameUses => {
  if (of === "agent") {
    return {
      agents: [],
      chats: chats.filter(({ agent }) => agent === before),
      rules: rules.filter((rule) => isInFile(rule) && rule.agent?.includes(before) === true)
    }
  }
  const isNamed = (pattern: string) => namesServer(pattern, before, servers)
  return {
    agents: agents.filter(({ ask = [], tools }) => [...tools ?? [], ...ask].some(isNamed)),
    chats: chats.filter(({ off }) => off.servers.includes(before) || off.tools.some(isNamed)),
    rules: rules.filter((rule) =>
      isInFile(rule) && (rule.server?.includes(before) === true || rule.patterns.some(isNamed))
    )
  }
}

/** How many of them the page can change. */
export const changeable = ({ agents, chats }: NameUses): number =>
  agents.filter(({ editable }) => editable).length + chats.length

/** Gives agents and chats the new name, one after the other. */
export const carryOver = async (
  renaming: Renaming,
  { agents, chats }: NameUses,
  servers: ReadonlyArray<string>
): Promise<void> => {
  const { after, before, of } = renaming
  const pattern = (one: string) =>
    namesServer(one, before, servers) ? one.replace(prefixOf(before), () => prefixOf(after)) : one
  for (const agent of agents.filter(({ editable }) => editable)) {
    const { ask, tools, ...draft } = toAgent(ofAgent(agent))
    await changeAgent(agent.name, {
      ...draft,
      tools: tools?.map(pattern) ?? null,
      ask: ask?.map(pattern) ?? null
    })
  }
  for (const { id, off } of chats) {
    await changeChat(
      id,
      of === "agent"
        ? { agent: after }
        : { off: { servers: off.servers.map((name) => name === before ? after : name), tools: off.tools.map(pattern) } }
    )
  }
}
