/** What a person types: messages, and answers to questions. Where nobody types, the lines of standard input. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Output } from "./Output.ts"

export class Keyboard extends Context.Service<Keyboard, {
  /** The next message: a line, or several that were pasted at once. Null at the end of the input. */
  readonly message: (prompt: string) => Effect.Effect<string | null>
  /** One line in answer to a question. Null at the end of the input. */
  readonly line: (question: string) => Effect.Effect<string | null>
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
      return Keyboard.of({ message: () => next, line: () => next })
    })
  )
}
