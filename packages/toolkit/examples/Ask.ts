/**
 * The tools of MCP servers in an Effect program.
 */
import { McpToolkit } from "@boocode/toolkit"
import * as LanguageModel from "effect/ai/LanguageModel"

/** What the model says, and what the tools it called answered. */
export const ask = (prompt: string) =>
  LanguageModel.generateText({ prompt, toolkit: McpToolkit.forAgent(["files_*", "!files_write_*"]) })
