/** The offers while somebody types `/` or `@`. */
import type { Agent, Command, Prompt, Resource, Tool } from "../../api/Types.ts"
import { composer } from "../../messages/ChatMessages.ts"
import type { Option } from "../../ui/lists/OptionList.tsx"

/** The word that is being typed: a command at the beginning, an agent at the beginning, a resource anywhere. */
export interface Trigger {
  readonly kind: "command" | "mention"
  readonly word: string
  /** Where the sign stands. */
  readonly from: number
  readonly isFirst: boolean
}

export const triggerOf = (text: string, caret: number): Trigger | null => {
  const before = text.slice(0, caret)
  if (/^\/\S*$/.test(before)) return { kind: "command", word: before.slice(1), from: 0, isFirst: true }
  const found = /(?:^|\s)@([^\s@]*)$/.exec(before)
  if (found === null) return null
  const word = found[1] ?? ""
  const from = caret - word.length - 1
  return { kind: "mention", word, from, isFirst: before.slice(0, from).trim() === "" }
}

export type Choice =
  | { readonly kind: "command"; readonly command: Command }
  | { readonly kind: "prompt"; readonly prompt: Prompt }
  | { readonly kind: "tool"; readonly tool: Tool }
  | { readonly kind: "agent"; readonly agent: Agent }
  | { readonly kind: "resource"; readonly resource: Resource }

export interface Offer extends Option {
  readonly about: string
  readonly choice: Choice
}

export interface Sources {
  readonly commands: ReadonlyArray<Command>
  readonly prompts: ReadonlyArray<Prompt>
  readonly tools: ReadonlyArray<Tool>
  readonly agents: ReadonlyArray<Agent>
  /** Found by the server for the word. */
  readonly resources: ReadonlyArray<Resource>
}

const words = composer.groups

const MOST = 30

/** 0 when it begins with the word, 1 when it contains it, null when neither. */
const rank = (word: string, ...texts: ReadonlyArray<string | null>): number | null => {
  const sought = word.toLowerCase()
  const found = texts.map((text) => text?.toLowerCase().indexOf(sought) ?? -1)
  if (found[0] === 0) return 0
  return found.some((index) => index >= 0) ? 1 : null
}

const first = (text: string | null) => (text ?? "").split("\n")[0]?.trim() ?? ""

const commandOffers = (word: string, { commands, prompts, tools }: Sources) => [
  ...commands.map((command) => ({
    rank: rank(word, command.name, command.description),
    offer: {
      key: `c ${command.name}`,
      text: `/${command.name}`,
      about: first(command.description),
      group: words.command,
      choice: { kind: "command" as const, command }
    }
  })),
  ...prompts.map((prompt) => ({
    rank: rank(word, `${prompt.server}:${prompt.name}`, prompt.title, prompt.description),
    offer: {
      key: `p ${prompt.server}:${prompt.name}`,
      text: `/${prompt.server}:${prompt.name}`,
      about: first(prompt.description ?? prompt.title),
      group: words.prompt,
      choice: { kind: "prompt" as const, prompt }
    }
  })),
  ...tools.map((tool) => ({
    rank: rank(word, tool.name, tool.title),
    offer: {
      key: `t ${tool.name}`,
      text: `/${tool.name}`,
      about: first(tool.title ?? tool.description),
      group: words.tool,
      choice: { kind: "tool" as const, tool }
    }
  }))
]

const mentionOffers = ({ isFirst, word }: Trigger, { agents, resources }: Sources) => [
  ...(isFirst ? agents : []).map((agent) => ({
    rank: rank(word, agent.name, agent.description),
    offer: {
      key: `a ${agent.name}`,
      text: `@${agent.name}`,
      about: first(agent.description),
      group: words.agent,
      choice: { kind: "agent" as const, agent }
    }
  })),
  ...resources.map((resource) => ({
    rank: rank(word, resource.name, resource.title, resource.uri, resource.description) ?? 2,
    offer: {
      key: `r ${resource.server} ${resource.uri}`,
      text: resource.title ?? resource.name,
      about: `${resource.server} · ${resource.uri}`,
      group: words.resource,
      choice: { kind: "resource" as const, resource }
    }
  }))
]

const GROUPS: ReadonlyArray<string> = Object.values(words)

/** The offers that fit, by group. In a group, offers that begin with the word stand before those that contain it. */
export const offers = (trigger: Trigger, sources: Sources): ReadonlyArray<Offer> => {
  const all = trigger.kind === "command" ? commandOffers(trigger.word, sources) : mentionOffers(trigger, sources)
  return all.filter((each) => each.rank !== null)
    .toSorted((one, other) =>
      GROUPS.indexOf(one.offer.group) - GROUPS.indexOf(other.offer.group) || (one.rank ?? 0) - (other.rank ?? 0)
    )
    .slice(0, MOST)
    .map(({ offer }) => offer)
}
