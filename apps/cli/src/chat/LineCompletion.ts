/** Completes a line at the Tab key: commands, tools and prompts after `/`, agents after `@`, names after a command. Pure. */
import * as Commands from "@boocode/chat/Commands"

export interface Names {
  readonly agents: ReadonlyArray<string>
  readonly models: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
}

export const NO_NAMES: Names = { agents: [], models: [], tools: [] }

/** Whole lines that begin with this one. */
export const of = (line: string, { agents, models, tools }: Names): ReadonlyArray<string> =>
  [
    ...commands.map((name) => `/${name}`),
    ...tools.map((name) => `/${name}`),
    ...agents.map((name) => `@${name}`),
    ...agents.map((name) => `/agent ${name}`),
    ...models.map((name) => `/model ${name}`),
    ...commands.flatMap((name) => valuesOf(name).map((value) => `/${name} ${value}`))
  ].filter((one) => line !== "" && one !== line && one.startsWith(line) && one.slice(line.length).indexOf(" ") < 0)

const here = Commands.COMMANDS.filter(({ places }) => places.includes("terminal"))
const commands = here.map(({ name }) => name)

const valuesOf = (name: string): ReadonlyArray<string> =>
  here.find((command) => command.name === name)?.argument?.values ?? []
