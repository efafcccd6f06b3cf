/** What the panel of agents says. */
import { count } from "./Numbers.ts"

export const agents = {
  title: "Agents",
  none: "No agents",
  where:
    "Agents are written in AGENTS.md of the data folder and in its folder agents, one file each. They are read when a file is saved.",
  problems: (number: number) => `${count(number, "problem")} in agent files`,
  isDefault: "default",
  model: "Model",
  noModel: "none yet: command mode",
  standard: (model: string) => `${model} (the default)`,
  steps: "Steps",
  mostSteps: (steps: number) => `at most ${steps} a turn`,
  temperature: "Temperature",
  tools: "Tools",
  everything: "all there are",
  noTools: "none",
  asks: "Asks before",
  matched: (tools: number, tokens: string) => `${count(tools, "tool")} of servers now, about ${tokens} tokens`,
  matchedFor: (agent: string) => `, for ${agent}`,
  toolsOf: (agent: string) => `Tools of ${agent}`
} as const
