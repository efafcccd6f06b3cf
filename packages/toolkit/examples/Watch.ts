/**
 * Effect runs the tools, a person is asked before anything is written, and progress is seen as it comes.
 */
import { type Approval, McpToolkit } from "@boocode/toolkit"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** The model's text, and progress and results of its tools. */
export const watch = (prompt: string, decide: Approval.Approval["decide"]) =>
  Stream.unwrap(Effect.gen(function*() {
    const toolkit = yield* McpToolkit.forAgent(["files_*"], {
      dialect: "anthropic",
      maxTotalTimeout: "2 minutes",
      approval: { ask: ["files_write_*"], decide, timeout: "1 minute" }
    })
    return LanguageModel.streamText({ prompt, toolkit })
  }))
