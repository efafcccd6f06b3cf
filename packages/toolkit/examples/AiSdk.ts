/**
 * A program of the AI SDK, without Effect: the tools of MCP servers in `generateText`.
 */
import type { McpRegistry } from "@boocode/mcp-registry"
import type { ResultFiles } from "@boocode/toolkit"
import { AiSdkTools } from "@boocode/toolkit/ai-sdk"
import { generateText, isStepCount, type LanguageModel } from "ai"
import type { Layer } from "effect/Layer"

/** The model's text once its calls are answered. The servers run for as long as this does. */
export const ask = async (model: LanguageModel, servers: Layer<McpRegistry | ResultFiles>, prompt: string) => {
  await using mcp = await AiSdkTools.open(servers, { patterns: ["files_*", "!files_write_*"] })
  const { text } = await generateText({ model, tools: mcp.tools, prompt, stopWhen: isStepCount(10) })
  return text
}
