/** An agent while it is written: what stands in the fields, and what is sent. Pure. */
import type { Agent, AgentPreview, NewAgent } from "../api/Types.ts"

/** Lists are texts with one pattern a line; numbers are as they were typed. */
export interface AgentDraft {
  readonly name: string
  readonly description: string
  readonly prompt: string
  /** Null is every tool. */
  readonly tools: string | null
  readonly ask: string
  /** Null leaves it to the settings. */
  readonly code: boolean | null
  /** None is everyone. */
  readonly for: ReadonlyArray<string>
  readonly model: string | null
  readonly steps: string
  readonly temperature: string
}

export const EMPTY: AgentDraft = {
  name: "",
  description: "",
  prompt: "",
  tools: null,
  ask: "",
  code: null,
  for: [],
  model: null,
  steps: "",
  temperature: ""
}

const DEFAULT_STEPS = 25

const lines = (patterns: ReadonlyArray<string>): string => patterns.join("\n")

export const ofAgent = (agent: Agent): AgentDraft => ({
  name: agent.name,
  description: agent.description ?? "",
  prompt: agent.prompt,
  tools: agent.tools === null ? null : lines(agent.tools),
  ask: lines(agent.ask ?? []),
  code: agent.code ?? null,
  for: agent.for ?? [],
  model: agent.model,
  steps: agent.steps === DEFAULT_STEPS ? "" : String(agent.steps),
  temperature: agent.temperature === null ? "" : String(agent.temperature)
})

export const patternsOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "")

const wordsOrNull = (text: string): string | null => text.trim() === "" ? null : text.trim()

/** The field that should be a number and is none; null where all is well. */
export const oddNumber = (draft: AgentDraft): "steps" | "temperature" | null =>
  (["steps", "temperature"] as const).find((key) => Number.isNaN(numberOrNull(draft[key]))) ?? null

const numberOrNull = (text: string): number | null => text.trim() === "" ? null : Number(text)

export const toAgent = (draft: AgentDraft): NewAgent => {
  const ask = patternsOf(draft.ask)
  return {
    name: draft.name.trim(),
    description: wordsOrNull(draft.description),
    prompt: draft.prompt,
    tools: draft.tools === null ? null : patternsOf(draft.tools),
    ask: ask.length === 0 ? null : ask,
    code: draft.code,
    for: draft.for.length === 0 ? null : draft.for,
    model: draft.model,
    steps: numberOrNull(draft.steps),
    temperature: numberOrNull(draft.temperature)
  }
}

type Previewed = AgentPreview["tools"][number]

/** The patterns after a person lets the agent see a tool, or takes it away: its own pattern goes or comes, as the last. */
export const toggled = (tools: string | null, { allowed, name }: Pick<Previewed, "allowed" | "name">): string => {
  const own = allowed ? name : `!${name}`
  const before = tools === null ? ["*"] : patternsOf(tools)
  const without = before.filter((pattern) => pattern !== own)
  const isDecided = decides(without, name) === !allowed
  return lines(isDecided ? without : [...without, allowed ? `!${name}` : name])
}

/** Whether patterns allow a tool: the last that matches decides. The server has the last word. */
const decides = (patterns: ReadonlyArray<string>, name: string): boolean => {
  const last = patterns.findLast((pattern) => matches(pattern.replace(/^!/, ""), name))
  return last !== undefined && !last.startsWith("!")
}

/** `*` stands for any characters and `?` for one; other signs of patterns are left to the server. */
const matches = (pattern: string, name: string): boolean => {
  const source = pattern.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")
  return new RegExp(`^${source}$`, "s").test(name)
}

export const replaced = (text: string, pattern: string, by: string): string =>
  text.split("\n").map((line) => line.trim() === pattern ? line.replace(pattern, by) : line).join("\n")

/** The tools by their servers, the built-in ones last. */
export const byServer = (
  tools: ReadonlyArray<Previewed>
): ReadonlyArray<readonly [server: string | null, tools: ReadonlyArray<Previewed>]> =>
  [...Map.groupBy(tools, ({ server }) => server)].toSorted(([one], [other]) =>
    one === other ? 0 : one === null ? 1 : other === null ? -1 : one < other ? -1 : 1
  )
