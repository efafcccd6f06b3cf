/**
 * The tools of MCP servers in an Effect program.
 */
import { McpToolkit } from "@boocode/toolkit"
import * as LanguageModel from "effect/ai/LanguageModel"

/** The model's text, and the results of the tools that it called. */
export const ask = (prompt: string) =>
  LanguageModel.generateText({ prompt, toolkit: McpToolkit.forAgent(["files_*", "!files_write_*"]) })
