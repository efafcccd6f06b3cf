/** A secret that a person gives to a command. */
import * as Effect from "effect/Effect"
import { Keyboard } from "./Keyboard.ts"
import { Output } from "./Output.ts"

/** Typed on a terminal without being shown, else the whole of standard input; without space around it. Empty for nothing. */
export const read = Effect.fnUntraced(function*(question: string) {
  const { input, inputIsTerminal } = yield* Output
  const text = inputIsTerminal ? yield* Keyboard.use((keyboard) => keyboard.secret(question)) : yield* input
  return (text ?? "").trim()
})
