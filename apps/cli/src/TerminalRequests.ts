/** Who answers what servers ask of a command that makes one call: the person at its terminal, and nobody where there is none. */
import { type Asker, type Elicitation, type ElicitationAnswer, nobody, ServerRequests } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Answering from "./Answering.ts"
import type { Keyboard } from "./Keyboard.ts"
import { Output } from "./Output.ts"

/** Without a terminal servers are not told that anybody could be asked. */
export const layer: Layer.Layer<never, never, Keyboard | Output> = Layer.unwrap(
  Effect.map(Output, ({ inputIsTerminal }) => inputIsTerminal ? terminal : Layer.empty)
)

const LIMIT = "5 minutes"

const terminal = Layer.effect(
  ServerRequests,
  Effect.gen(function*() {
    const context = yield* Effect.context<Keyboard | Output>()
    // One question at a time.
    const asking = Semaphore.makeUnsafe(1)
    const elicit: Asker["elicit"] = (request) =>
      asking.withPermit(Effect.map(Answering.answer(asked(request)), toAnswer)).pipe(
        Effect.timeoutOrElse({ duration: LIMIT, orElse: () => Effect.succeed({ action: "cancel" } as const) }),
        Effect.provideContext(context)
      )
    return { ...yield* ServerRequests, elicitation: ["form", "url"], asker: { ...nobody, elicit } }
  })
)

const asked = (request: Elicitation): Answering.Asked => {
  const { isTrusted, kind, message, server } = request
  const question = { server, isTrusted, kind, message, schema: null, url: null, sampling: null }
  return request.kind === "form" ? { ...question, schema: request.schema } : { ...question, url: request.url }
}

const toAnswer = ({ action, content }: Effect.Success<ReturnType<typeof Answering.answer>>): ElicitationAnswer =>
  action === "accept" ? { action, content: content ?? null } : { action }
