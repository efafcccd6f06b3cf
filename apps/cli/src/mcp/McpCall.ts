/** `mcp call`: one call of one tool. The tool's own error is its answer, and exit 1. */
import { ToolName } from "@boocode/mcp-registry"
import { ToolArguments, ToolResult } from "@boocode/toolkit"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { served } from "../backend/Connected.ts"
import * as ProgressLine from "../backend/ProgressLine.ts"
import { Servers } from "../backend/Servers.ts"
import type { Options, Target } from "../options/Options.ts"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import { Ended, Usage } from "../terminal/Failure.ts"
import { Output, plain } from "../terminal/Output.ts"

export interface ToolCall {
  readonly tool: string
  /** JSON, `-` for standard input, null for none. */
  readonly args: string | null
  readonly timeout: Duration.Duration | null
}

export const call = Effect.fnUntraced(function*(options: Options, target: Target, given: ToolCall) {
  const args = yield* parsedArguments(given)
  // Whoever reads it need not wait until the servers are gone.
  const answered = Effect.flatMap(called(given, args), (result) => answer(options, result))
  const only = (names: ReadonlyArray<string>) => asked(given.tool, names) ?? names
  yield* Effect.provide(served(options, target, answered, false, only), TerminalQuestions.requestsLayer)
})

/**
 * The servers whose tools begin like this one; null stands for all, when there is none. A built-in tool needs none, unless it
 * is about what servers have.
 */
const asked = (tool: string, names: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  if (ToolName.RESERVED.has(tool)) return tool.startsWith("resources_") ? null : []
  const owners = names.filter((name) => ToolName.owner(tool, [name]) !== null)
  return owners.length === 0 ? null : owners
}

const answer = Effect.fnUntraced(function*(options: Options, result: ToolResult.ToolResult) {
  const output = yield* Output
  yield* options.json
    ? output.document(encodeResult(result))
    : output.text(result.text.endsWith("\n") ? result.text : `${result.text}\n`)
  // A document has them already.
  if (!options.json) yield* output.notes(result.diagnostics.map((line) => plain(`note: ${line}`)))
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

const called = Effect.fnUntraced(function*({ timeout, tool }: ToolCall, args: Schema.JsonObject) {
  const servers = yield* Servers
  yield* Effect.forkChild(servers.preload)
  const those = asked(tool, (yield* servers.all).map(({ name }) => name))
  if (those === null || those.length > 0) yield* servers.settled(those)
  return yield* ProgressLine.shown((onProgress) => servers.call({ tool, args, timeout, onProgress }))
})
