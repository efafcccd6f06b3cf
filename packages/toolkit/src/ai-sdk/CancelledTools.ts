/**
 * Tools whose calls end when the program says so.
 */
import * as Effect from "effect/Effect"
import * as ToolResult from "../results/ToolResult.ts"
import type { AgentTool } from "../tools/AgentTool.ts"

/** The tool, whose calls are cancelled when the signal is aborted. None is made after that. */
export const cancelled = (tool: AgentTool, signal: AbortSignal | undefined): AgentTool =>
  signal === undefined ? tool : endedBy(tool, aborted(signal))

/** The tool, whose calls are cancelled when `ended` says why. None is made after that. */
export const endedBy = (tool: AgentTool, ended: Effect.Effect<string>): AgentTool => ({
  ...tool,
  run: (args, options) =>
    Effect.raceFirst(
      Effect.map(ended, (why) => ToolResult.failure(`${tool.name} was cancelled: ${why}`, { fault: "call" })),
      tool.run(args, options)
    )
})

const aborted = (signal: AbortSignal): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const end = () => resume(Effect.succeed(why(signal)))
    if (signal.aborted) return end()
    signal.addEventListener("abort", end, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", end))
  })

/** Nothing that the program said to itself goes to a model (R30). */
const why = ({ reason }: AbortSignal): string =>
  reason instanceof DOMException && reason.name === "TimeoutError" ? "its time is over" : "the request was aborted"
