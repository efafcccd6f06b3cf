/**
 * The servers and tools that a person turned off for a chat: which ones are meant, and what a call of such a tool
 * reads. Pure.
 */
import { ToolGlob } from "@boocode/tool-glob"
import { type AgentTool, ToolResult } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type { ChatOff } from "../model/Chat.ts"

/** A tool by the name that models know, and its server; null for a built-in one. */
interface Named {
  readonly name: string
  readonly server: string | null
}

/** Tells whether a tool is on. */
export const isOn = ({ servers, tools }: ChatOff): (tool: Named) => boolean => {
  const off = new Set(servers)
  return ({ name, server }) =>
    (server === null || !off.has(server)) && !tools.some((pattern) => ToolGlob.matches(pattern, name))
}

/** The patterns of an agent with denials of what is off. Servers are in it by these names of theirs. */
export const without = (
  patterns: ReadonlyArray<string> | null,
  { tools }: ChatOff,
  names: ReadonlyArray<string> = []
): ReadonlyArray<string> | null => {
  const off = [...tools, ...names]
  return off.length === 0 ? patterns : [...patterns ?? ["*"], ...off.map((pattern) => `!${pattern}`)]
}

/** The tool as it answers calls while it is off. */
export const refusing = (tool: AgentTool): AgentTool => ({
  ...tool,
  run: () => Effect.succeed(ToolResult.failure(`${tool.name} was not called: ${WHY}`, { fault: "call" }))
})

const WHY = "the person turned it off for this chat. Do not retry; go on without it, or tell the person what is missing"
