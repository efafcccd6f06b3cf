/** Tools that a provider keeps for itself until an answer of a search names them, in one request. */
import { DeferredTool } from "@boocode/language-models"
import { type AgentTool, type McpToolkit, SearchTools } from "@boocode/toolkit"
import * as Prompt from "effect/ai/Prompt"

/** The toolkit, in which these tools are marked. */
export const marked = (
  toolkit: McpToolkit.ModelToolkit,
  given: ReadonlyArray<AgentTool>
): McpToolkit.ModelToolkit => {
  const names = namesOf(given)
  if (names.size === 0) return toolkit
  const tools: Record<string, McpToolkit.ModelTool> = Object.create(null)
  for (const [name, tool] of Object.entries(toolkit.tools)) {
    tools[name] = names.has(name) ? tool.annotate(DeferredTool.Deferred, true) : tool
  }
  return { ...toolkit, tools }
}

/** The messages, in which the answers of searches refer to the tools that they name. A reference to any other tool is refused. */
export const referring = (
  messages: ReadonlyArray<Prompt.Message>,
  given: ReadonlyArray<AgentTool>
): ReadonlyArray<Prompt.Message> => {
  const names = namesOf(given)
  if (names.size === 0) return messages
  return messages.map((message) =>
    message.role !== "tool" ? message : Prompt.toolMessage({
      ...message,
      content: message.content.map((part) =>
        part.type === "tool-result" && SEARCHING.has(part.name) && typeof part.result === "string"
          ? DeferredTool.referring(part, SearchTools.namesIn(part.result).filter((name) => names.has(name)))
          : part
      )
    })
  )
}

const SEARCHING: ReadonlySet<string> = new Set([SearchTools.SEARCH, SearchTools.DESCRIBE])

const namesOf = (given: ReadonlyArray<AgentTool>): ReadonlySet<string> =>
  new Set(given.filter(({ isDeferred }) => isDeferred === true).map(({ name }) => name))
