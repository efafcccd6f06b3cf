/** The agent that a message is addressed to: `@Name` at its start. Pure. */

/** A message that names its agent. */
export interface Mention {
  /** The name as the agent has it. */
  readonly agent: string
  /** The rest of the message, for the model. */
  readonly text: string
}

/**
 * The mention at the start of a text, null where there is none. White space, or the end, has to follow the name; the
 * longest name wins, upper and lower case are the same unless two names differ in nothing else. A mention with nothing
 * after it is none: there would be nothing to answer.
 */
export const of = (text: string, agents: ReadonlyArray<{ readonly name: string }>): Mention | null => {
  if (!isPossible(text)) return null
  const start = text.trimStart()
  const named = agents.map(({ name }) => name).filter((name) => name !== "" && isNamed(start, name))
  const [agent] = named.sort((one, other) =>
    other.length - one.length || exactness(start, other) - exactness(start, one)
  )
  if (agent === undefined) return null
  const rest = start.slice(1 + agent.length).trim()
  return rest === "" ? null : { agent, text: rest }
}

/** Whether there could be one, whatever the agents are. */
export const isPossible = (text: string): boolean => text.trimStart().startsWith("@")

const isNamed = (start: string, name: string): boolean => {
  const after = start.slice(1 + name.length)
  return written(start, name).toLowerCase() === name.toLowerCase() && (after === "" || /^\s/.test(after))
}

const exactness = (start: string, name: string): number => written(start, name) === name ? 1 : 0

const written = (start: string, name: string): string => start.slice(1, 1 + name.length)
