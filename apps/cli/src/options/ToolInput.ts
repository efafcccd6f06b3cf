/** The arguments of a tool, as a person or a script gives them. */
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"

/** Reads a JSON object; `-` is standard input, and nothing is no arguments. */
export const parsed = Effect.fnUntraced(function*(tool: string, given: string | null) {
  const { ToolArguments } = yield* Effect.promise(() => import("@boocode/toolkit"))
  const text = given === "-" ? yield* Output.use((output) => output.input) : given
  return yield* Effect.fromResult(ToolArguments.parse(tool, text)).pipe(
    Effect.mapError((reason) => new Usage({ message: reason.message, hint: reason.hint }))
  )
})
