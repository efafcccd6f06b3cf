/**
 * The agents of AGENTS.md: a prompt, and which tools it may use.
 */
import { Nearest } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as AgentFile from "./AgentFile.ts"
import { UnknownAgent } from "./ChatError.ts"

/** One agent. @category models */
export interface Agent {
  readonly name: string
  readonly description: string | null
  readonly model: string | null
  /** Patterns over tool names (Decision 3); null means every tool. */
  readonly tools: ReadonlyArray<string> | null
  /** How many model requests a turn may make. Default 25. */
  readonly steps: number
  readonly temperature: number | null
  readonly prompt: string
}

/** What is wrong with an agent: it cannot be used, or a part of what it says is ignored. @category models */
export interface AgentProblem {
  /** Null when not even the name can be told. */
  readonly name: string | null
  readonly file: string
  readonly line: number
  readonly message: string
}

/** What AGENTS.md says as it stands. @category models */
export interface AgentList {
  /** In the order of the file. The first is the default. Never empty: without any there is `Assistant`. */
  readonly agents: ReadonlyArray<Agent>
  readonly problems: ReadonlyArray<AgentProblem>
}

/** The agents. @category services */
export class Agents extends Context.Service<Agents, {
  /** What the file says now; it is read at each call. Never fails: a wrong agent is a problem in the list. */
  readonly list: Effect.Effect<AgentList>
  /** One agent by name, the default one for null. Fails with `UnknownAgent`, which names the nearest. */
  readonly agent: (name: string | null) => Effect.Effect<Agent, UnknownAgent>
}>()("chat/Agents") {
  /**
   * Reads this file. Without the file there is one agent, `Assistant`, with every tool. When the file is there and none
   * of its agents can be used, `Assistant` has no tools, so that a mistake never widens what an agent may use.
   */
  static readonly layerFile = (path: string): Layer.Layer<Agents, never, FileSystem.FileSystem> =>
    Layer.effect(Agents, Effect.map(FileSystem.FileSystem, (fs) => fromList(readList(fs, path))))

  /** Agents given by a program. The first is the default. */
  static readonly layer = (agents: readonly [Agent, ...ReadonlyArray<Agent>]): Layer.Layer<Agents> =>
    Layer.succeed(Agents, fromList(Effect.succeed({ agents, problems: [] })))
}

/**
 * The agent there is without AGENTS.md: every tool, no special prompt.
 *
 * @category constants
 */
export const ASSISTANT: Agent = {
  name: "Assistant",
  description: "Answers questions and uses every tool there is.",
  model: null,
  tools: null,
  steps: AgentFile.DEFAULT_STEPS,
  temperature: null,
  prompt: "You are a helpful assistant. Use the tools you have when they help, and say what you found."
}

const fromList = (list: Effect.Effect<AgentList>): Agents["Service"] =>
  Agents.of({
    list,
    agent: Effect.fn("Agents.agent")(function*(name: string | null) {
      const { agents, problems } = yield* list
      const found = name === null ? agents[0] : agents.find((agent) => agent.name === name)
      if (found !== undefined) return found
      const wrong = problems.find((problem) => problem.name === name)
      return yield* new UnknownAgent({
        name: name ?? ASSISTANT.name,
        nearest: Nearest.nearest(name ?? "", agents.map((agent) => agent.name)),
        problem: wrong === undefined ? null : `${wrong.file}:${wrong.line}: ${wrong.message}`
      })
    })
  })

const readList = (fs: FileSystem.FileSystem, path: string): Effect.Effect<AgentList> =>
  Effect.suspend(() => fs.readFileString(path)).pipe(
    Effect.map((text) => withDefault(AgentFile.parse(text, path))),
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed({ agents: [ASSISTANT], problems: [] })),
    Effect.catch((error) =>
      Effect.succeed({
        agents: [{ ...ASSISTANT, tools: [] }],
        problems: [{ name: null, file: path, line: 1, message: `cannot be read: ${error.message}` }]
      })
    )
  )

const withDefault = (parsed: AgentFile.ParsedAgents): AgentList => {
  if (parsed.agents.length > 0) return parsed
  // Text without any agent restricts nobody; a broken agent may have been meant to.
  const assistant = parsed.problems.length > 0 ? { ...ASSISTANT, tools: [] } : ASSISTANT
  return { agents: [assistant], problems: parsed.problems }
}
