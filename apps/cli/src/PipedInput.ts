/** What another program pipes into a message that was given as well: `cat error.log | boocode chat "what is wrong?"`. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Output } from "./Output.ts"

/** A pipe that nobody writes into and nobody closes, as some programs give it, is not waited for. */
const PATIENCE = "3 seconds"

/**
 * All of standard input, unless a person types there. Where nothing comes within 3 seconds it is not the message's: that is
 * told, and `-` waits for it.
 */
export const read = Effect.scoped(Effect.gen(function*() {
  const { inputIsTerminal, inputText, notePaint, notes } = yield* Output
  if (inputIsTerminal) return ""
  const begun = yield* Deferred.make<void>()
  const seen = Deferred.succeed(begun, undefined)
  const all = yield* Effect.forkScoped(
    Effect.ensuring(Stream.mkString(Stream.tap(inputText, (text) => text === "" ? Effect.void : seen)), seen)
  )
  if (Option.isSome(yield* Effect.timeoutOption(Deferred.await(begun), PATIENCE))) return yield* Fiber.join(all)
  yield* notes([notePaint.dim(`nothing came on standard input within ${PATIENCE}, so it is not read; - waits for it`)])
  return ""
}))
