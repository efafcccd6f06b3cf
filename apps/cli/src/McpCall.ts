/** `mcp call`: one call of one tool. The tool's own error is its answer, and exit 1. */
import { McpRegistry, ToolName } from "@boocode/mcp-registry"
import { ToolArguments, ToolResult } from "@boocode/toolkit"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { connected, settled, settledServers } from "./Connected.ts"
import * as Explained from "./Explained.ts"
import { Ended, Usage } from "./Failure.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"

export interface ToolCall {
  readonly tool: string
  /** JSON, `-` for standard input, null for none. */
  readonly args: string | null
  readonly timeout: Duration.Duration | null
}

export const call = Effect.fnUntraced(function*(options: Options, given: ToolCall) {
  const args = yield* parsedArguments(given)
  const result = yield* connected(
    options,
    (backend, where) => backend.registry(where, options.serverLog),
    called(given, args).pipe(
      Effect.catchTag("McpError", (error) => Explained.mcpError(error, given.timeout === null ? "takable" : "given"))
    )
  )
  const output = yield* Output
  yield* options.json
    ? output.document(encodeResult(result))
    : output.text(result.text.endsWith("\n") ? result.text : `${result.text}\n`)
  if (result.isError) return yield* new Ended({ code: 1 })
})

const encodeResult = Schema.encodeSync(ToolResult.ToolResult)

/** Checked before anything is started. */
const parsedArguments = Effect.fnUntraced(function*(given: ToolCall) {
  const text = given.args === "-" ? yield* Output.use((output) => output.input) : given.args
  return yield* Effect.fromResult(ToolArguments.parse(given.tool, text)).pipe(
    Effect.mapError((reason) => new Usage({ message: reason.message, hint: reason.hint }))
  )
})

const called = Effect.fnUntraced(function*(given: ToolCall, args: Schema.JsonObject) {
  const registry = yield* McpRegistry
  yield* awaitServerOf(given.tool)
  const tool = yield* registry.tool(given.tool)
  const answer = yield* registry.call(given.tool, args, given.timeout === null ? {} : { timeout: given.timeout })
  return yield* ToolResult.fromCall(answer, { maxBytes: tool.maxResultBytes })
})

/** Waits for the servers whose tools begin like this one; for all of them when there is none. */
const awaitServerOf = Effect.fnUntraced(function*(tool: string) {
  const names = (yield* McpRegistry.use((registry) => registry.servers)).map((server) => server.name)
  const owners = names.filter((name) => ToolName.owner(tool, [name]) !== null)
  yield* owners.length === 0 ? settled : settledServers(owners)
})
