/**
 * The agents of AGENTS.md: a prompt, and which tools it may use.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { UnknownAgent } from "./ChatError.ts"

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

/** One agent that cannot be used. @category models */
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
}>()("chat/Agents") {}
