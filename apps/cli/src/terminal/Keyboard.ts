/** Messages and answers that a person types; without a terminal, the lines of standard input. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Output } from "./Output.ts"

export interface Typing {
  /** Earlier messages of one line, the newest first. */
  readonly history: ReadonlyArray<string>
  /** The possible lines for the Tab key: whole lines that begin with the text typed so far. */
  readonly complete: (line: string) => ReadonlyArray<string>
  /** Is told of each message that is typed while nobody takes it. It waits all the same. */
  readonly waits?: ((message: string) => void) | undefined
}

export class Keyboard extends Context.Service<Keyboard, {
  /** Until the scope closes, a person can type at any time; what nobody takes yet waits. Needs a terminal, else it does nothing. */
  readonly typing: (typing: Typing) => Effect.Effect<void, never, Scope.Scope>
  /** The next message: a line, or several that were pasted at once. Null at the end of the input. */
  readonly message: Effect.Effect<string | null>
  /** One line in answer to a question, which comes in the place of a message. Null at the end of the input. */
  readonly line: (question: string) => Effect.Effect<string | null>
  /** Like `line`, for a secret: a terminal does not show what is typed. */
  readonly secret: (question: string) => Effect.Effect<string | null>
}>()("cli/Keyboard") {
  /** Each line is a message; no prompt is shown. Reads nothing before it is asked. */
  static readonly layerLines: Layer.Layer<Keyboard, never, Output> = Layer.effect(
    Keyboard,
    Effect.gen(function*() {
      const { inputLines } = yield* Output
      const scope = yield* Effect.scope
      const lines = yield* Effect.cached(
        Effect.provideService(Stream.toQueue(inputLines, { capacity: 16 }), Scope.Scope, scope)
      )
      const next = Effect.flatMap(lines, Queue.take).pipe(Effect.catch(() => Effect.succeed(null)))
      return Keyboard.of({ typing: () => Effect.void, message: next, line: () => next, secret: () => next })
    })
  )
}

/** The signals that end the command, and Ctrl-C before that. */
export class Interrupts extends Context.Service<Interrupts, {
  /** Until the scope closes, the first Ctrl-C runs this instead of ending the command. The next one ends it. */
  readonly first: (stop: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  /** Done after a second signal: the person does not want to wait until servers have closed. */
  readonly second: Effect.Effect<void>
  /** Done when the package manager that started this command has ended, which also ends the command. */
  readonly abandoned: Effect.Effect<void>
}>()("cli/Interrupts") {}

/** Some programs give a pipe that nobody writes into and nobody closes. */
const PATIENCE = "3 seconds"

/**
 * All that another program pipes in, as in `cat error.log | boocode chat "what is wrong?"`; nothing from a terminal. Does not
 * read standard input on which nothing comes within 3 seconds, and says so; `-` waits for it.
 */
export const readPipedInput = Effect.scoped(Effect.gen(function*() {
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
