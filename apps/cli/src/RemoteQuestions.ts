/** While a call runs in a server that was there before, the person at this terminal answers what its MCP server asks. */
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Answering from "./Answering.ts"
import { Keyboard } from "./Keyboard.ts"
import { Output } from "./Output.ts"
import { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"

/** Runs a call of these servers; without a terminal others may be there to answer. */
export type Beside = (
  isAsked: (server: string) => boolean
) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const make = Effect.gen(function*(): Effect.fn.Return<Beside, never, Remote | Output> {
  const { api, quick } = yield* Remote
  const output = yield* Output
  const keyboard = Option.getOrNull(yield* Effect.serviceOption(Keyboard))
  if (!output.inputIsTerminal || keyboard === null) return () => (call) => call

  // One question at a time.
  const asking = Semaphore.makeUnsafe(1)
  const ask = (id: string, question: Answering.Asked) =>
    asking.withPermit(Effect.flatMap(
      Answering.answer(question),
      (payload) => quick(api.questions.answer({ params: { id }, payload }))
    )).pipe(
      // The page may have been quicker.
      Effect.catch((error) => output.notes([output.notePaint.dim(RemoteFailure.plainly(error).message)])),
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
