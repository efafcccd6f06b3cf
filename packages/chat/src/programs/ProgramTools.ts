/** The tools of a model that writes programs: `execute`, and a search that answers with functions. */
import type { McpTool } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import { type AgentTool, SearchTools } from "@boocode/toolkit"
import { ExecuteTool, ProgramNames, Signatures } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import type { Agent } from "../agents/Agent.ts"
import type { ChatOff } from "../model/Chat.ts"
import * as CodeMode from "./CodeMode.ts"

/** How things stand in a chat. */
interface Standing {
  /** Whether the model has written programs so far; null where it begins anew. */
  readonly before: boolean | null
  readonly off: ChatOff
}

/**
 * Whether the model of an agent writes programs. A chat that began with programs goes on with them, however many tools
 * come.
 */
export const isWanted = Effect.fnUntraced(function*<R>(
  { code, tools }: Agent,
  wish: Omit<CodeMode.Wish, "agent"> | undefined,
  { before, off }: Standing,
  isMuch: Effect.Effect<boolean, never, R>
) {
  const isThere = mayFind(tools, ExecuteTool.EXECUTE) && !off.tools.includes(ExecuteTool.EXECUTE)
  if (wish === undefined || !isThere) return false
  return CodeMode.wanted({ ...wish, agent: code }) ?? before ?? (yield* isMuch)
})

/** The tools with which these are found and called; `among` are all that programs call, of which the first may be found. */
export const make = (
  tools: ReadonlyArray<McpTool>,
  among: ReadonlyArray<McpTool>,
  catalogue: SearchTools.Catalogue | null
): ReadonlyArray<AgentTool> => {
  const all = among.map(described)
  const functions = new Map(ProgramNames.functions(all).map((of) => [of.name, of]))
  const signature = (tool: AgentTool): string => {
    const of = functions.get(tool.name)
    return of === undefined ? tool.name : Signatures.line(of, tool)
  }
  return [
    ...catalogue === null ? [] : SearchTools.inPrograms(catalogue, tools, signature),
    ExecuteTool.make(tools.map(described), all)
  ]
}

const described = (tool: McpTool): Signatures.Described => ({ ...tool, origin: { tool: tool.tool }, listed: tool })

/** A search and programs are for every agent: one that lists its tools need not name them, but may deny them. */
export const mayFind = (patterns: ReadonlyArray<string> | null, name: string): boolean => {
  const last = (patterns ?? []).findLast((pattern) => ToolGlob.matches(pattern, name))
  return last === undefined || !ToolGlob.isDenial(last)
}
