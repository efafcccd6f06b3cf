/** One agent, and what may be wrong with it. */

/** One agent. */
export interface Agent {
  readonly name: string
  readonly description: string | null
  readonly model: string | null
  /** Patterns over tool names; null allows every tool. */
  readonly tools: ReadonlyArray<string> | null
  /** Patterns over tool names whose calls need approval, besides those that servers and settings name. */
  readonly ask?: ReadonlyArray<string> | undefined
  /** Whether its model writes programs in which the tools are functions; left out, the settings say. */
  readonly code?: boolean | undefined
  /** The people who see it, as `Audience` decides; left out, everyone does. */
  readonly for?: ReadonlyArray<string> | undefined
  /** How many model requests a turn may make. Default 25. */
  readonly steps: number
  readonly temperature: number | null
  readonly prompt: string
  /** Where it is written, and the line at which it begins; null for one that is not written in a file. */
  readonly file: string | null
  readonly line: number | null
}

/** A problem with an agent: it cannot be used, or something in its block is ignored. */
export interface AgentProblem {
  /** Null when not even the name can be told. */
  readonly name: string | null
  readonly file: string
  readonly line: number
  readonly message: string
}
