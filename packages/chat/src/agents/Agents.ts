/** The agents of AGENTS.md and of the folder `agents`: each a prompt, and which tools it may use. */
import { Audience, FileWatch, Nearest } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { UnknownAgent } from "../model/ChatError.ts"
import { CurrentUser, type User } from "../users/CurrentUser.ts"
import type { Agent, AgentProblem } from "./Agent.ts"
import * as AgentFile from "./AgentFile.ts"
import * as AgentFolder from "./AgentFolder.ts"

/** The agents and problems of the files as they are now. */
export interface AgentList {
  /**
   * The agents of AGENTS.md in its order, then those of the folder by name of the file. The first is the default. Never
   * empty: without any there is `Assistant`.
   */
  readonly agents: ReadonlyArray<Agent>
  readonly problems: ReadonlyArray<AgentProblem>
}

/** The agents, for a person: an admin has all of them, a member those whose `for` names them, or that have none. */
export class Agents extends Context.Service<Agents, {
  /** Reads files that changed again. Never fails: a wrong agent is a problem in the list, which admins see. */
  readonly list: Effect.Effect<AgentList, never, CurrentUser>
  /** One agent by name, the default one for null. Fails with `UnknownAgent`, which names the nearest. */
  readonly agent: (name: string | null) => Effect.Effect<Agent, UnknownAgent, CurrentUser>
  /** An element after each change of one of the files, a moment after it was saved; watched while somebody listens. */
  readonly changes: Stream.Stream<void>
}>()("chat/Agents") {
  /**
   * Reads this file, and the files `*.md` of the folder `agents` beside it, which need not exist. Without any there is
   * one agent, `Assistant`, with every tool. When files are there and none of their agents can be used, `Assistant` has
   * no tools, so that a mistake never widens what an agent may use.
   */
  static readonly layerFile = (
    path: string
  ): Layer.Layer<Agents, never, FileSystem.FileSystem | Path.Path> => Layer.effect(Agents, fromFiles(path))

  /** Agents given by a program. The first is the default. */
  static readonly layer = (agents: readonly [Agent, ...ReadonlyArray<Agent>]): Layer.Layer<Agents> =>
    Layer.succeed(Agents, fromList(Effect.succeed({ agents, problems: [] }), Stream.empty))
}

/** The agent there is without AGENTS.md: every tool, no special prompt. */
export const ASSISTANT: Agent = {
  name: "Assistant",
  description: "Answers questions and uses every tool there is.",
  model: null,
  tools: null,
  steps: AgentFile.DEFAULT_STEPS,
  temperature: null,
  prompt: "You are a helpful assistant. Use the tools you have when they help, and say what you found.",
  file: null,
  line: null
}

const fromList = (all: Effect.Effect<AgentList>, changes: Stream.Stream<void>): Agents["Service"] => {
  const list = Effect.map(Effect.all([all, CurrentUser]), ([everything, user]) => seenBy(everything, user))
  return Agents.of({
    list,
    changes,
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
}

/** A member who is shown no agent has `Assistant` without tools, so that a list of theirs is never empty. */
const seenBy = ({ agents, problems }: AgentList, user: User): AgentList => {
  if (user.role === "admin") return { agents, problems }
  const seen = agents.filter((agent) => Audience.admits(agent.for ?? null, user))
  return { agents: seen.length === 0 ? [{ ...ASSISTANT, tools: [] }] : seen, problems: [] }
}

const fromFiles = Effect.fnUntraced(function*(path: string) {
  const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const files = Effect.provideContext(AgentFolder.watched(path), services)
  const watch = Stream.callback<void>((queue) => {
    const onChange = Effect.asVoid(Queue.offer(queue, undefined))
    return Effect.provideContext(FileWatch.run({ files, onChange }), services)
  })
  // The first is how they are, which is no change.
  const changes = yield* Stream.share(Stream.drop(watch, 1), { capacity: 1, strategy: "sliding" })
  return fromList(Effect.map(Effect.provideContext(AgentFolder.reader(path), services), withDefault), changes)
})

const withDefault = (parsed: AgentFile.ParsedAgents): AgentList => {
  if (parsed.agents.length > 0) return parsed
  // An agent that cannot be read may have been meant to restrict the tools; text without an agent was not.
  const assistant = parsed.problems.length > 0 ? { ...ASSISTANT, tools: [] } : ASSISTANT
  return { agents: [assistant], problems: parsed.problems }
}
