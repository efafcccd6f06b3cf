/**
 * What an operator sees of tool calls: how many, how they ended, and how long they took.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import type { CallResult, McpTool } from "./McpTool.ts"

const calls = Metric.counter("mcp_tool_calls_total", {
  description: "Tool calls that ended, by server, tool and outcome: ok, tool-error, failed, stopped",
  incremental: true
})

const seconds = Metric.histogram("mcp_tool_call_duration_seconds", {
  description: "How long tool calls took",
  boundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
})

/** Each label costs memory for ever, and servers may offer other tools each day; what is beyond counts as one. */
const MAX_TOOLS = 500
const seen = new Set<string>()

/** Counts a call when it is over, however it ends. @category combinators */
export const counted = <E, R>(
  call: Effect.Effect<CallResult, E, R>,
  tool: Pick<McpTool, "server" | "tool">
): Effect.Effect<CallResult, E, R> =>
  Effect.flatMap(Clock.currentTimeMillis, (began) =>
    Effect.onExit(
      call,
      Effect.fnUntraced(function*(exit) {
        const taken = ((yield* Clock.currentTimeMillis) - began) / 1000
        const attributes = labels(tool)
        yield* Metric.update(Metric.withAttributes(calls, { ...attributes, outcome: outcome(exit) }), 1)
        yield* Metric.update(Metric.withAttributes(seconds, attributes), taken)
      })
    ))

const labels = ({ server, tool }: Pick<McpTool, "server" | "tool">) => {
  const key = JSON.stringify([server, tool])
  if (!seen.has(key) && seen.size >= MAX_TOOLS) return { server: "other", tool: "other" }
  seen.add(key)
  return { server, tool }
}

const outcome = (exit: Exit.Exit<CallResult, unknown>): string => {
  if (Exit.isSuccess(exit)) return exit.value.isError ? "tool-error" : "ok"
  return Cause.hasInterruptsOnly(exit.cause) ? "stopped" : "failed"
}
