/** Elicitation by the MCP servers of a running server: the person at this terminal may answer while a call runs. */
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { Output } from "../terminal/Output.ts"
import * as Remote from "./Remote.ts"

/** Runs a call, and meanwhile puts the questions of these servers. Does nothing more where there is no terminal. */
export type Answering = (
  isAsked: (server: string) => boolean
) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const make = Effect.gen(function*(): Effect.fn.Return<Answering, never, Remote.Remote | Output> {
  const { api, quick } = yield* Remote.Remote
  const output = yield* Output
  const keyboard = Option.getOrNull(yield* Effect.serviceOption(Keyboard))
  if (!output.inputIsTerminal || keyboard === null) return () => (call) => call

  // One question at a time.
  const asking = Semaphore.makeUnsafe(1)
  const ask = (id: string, question: TerminalQuestions.Asked) =>
    asking.withPermit(Effect.flatMap(
      TerminalQuestions.answer(question),
      (payload) => quick(api.questions.answer({ params: { id }, payload }))
    )).pipe(
      // Somebody may have answered at the page before.
      Effect.catch((error) => output.notes([output.notePaint.dim(Remote.plainly(error).message)])),
      Effect.provideService(Keyboard, keyboard),
      Effect.provideService(Output, output)
    )
  const listening = Effect.fnUntraced(function*(isAsked: (server: string) => boolean) {
    const asked = yield* FiberMap.make<string>()
    yield* Stream.runForEach(Stream.unwrap(quick(api.servers.events())), (event) => {
      if (event.type === "question-answer") return FiberMap.remove(asked, event.id)
      return event.type === "question" && isAsked(event.server)
        ? FiberMap.run(asked, event.id, ask(event.id, event))
        : Effect.void
    })
  })
  return (isAsked) => (call) =>
    Effect.scoped(Effect.andThen(Effect.forkScoped(Effect.ignore(listening(isAsked))), call))
})
