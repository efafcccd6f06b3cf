/** Goes on with a request that a server refuses until a person has visited an address (2025-11-25, error -32042). */
import * as Effect from "effect/Effect"
import type { Addressee } from "../asks/AskingCalls.ts"
import type { RequestFailed } from "../errors/McpError.ts"
import type { Options } from "./InputRounds.ts"
import type { Answer, Request } from "./Requests.ts"

/** A server need not say that a visit is done: after so long the request is sent again anyway. */
const PATIENCE = "2 minutes"

/** Whether a refusal names addresses to visit first. */
export const isWanted = ({ visits }: RequestFailed): boolean => (visits ?? []).length > 0

/**
 * Asks for each visit in turn, and sends the request once more when all are done: it was refused, so nothing happens twice.
 * Otherwise the refusal says where to go.
 */
export const goOn = (request: Request, refusal: RequestFailed, options: Options): Answer =>
  Effect.andThen(paid(refusal, options), options.send(request))

/** Fails with the refusal where one of the visits is not paid. */
const paid = Effect.fnUntraced(function*(refusal: RequestFailed, { addressee, answers }: Options) {
  const visits = refusal.visits ?? []
  const done = yield* answers.done(visits.map(({ elicitationId }) => elicitationId))
  for (const visit of visits) {
    const asked = answers.answer("elicitation/create", { mode: "url", ...visit }, addressee)
    const { action } = yield* Effect.mapError(asked, () => refusal)
    if (action !== "accept") return yield* refusal
  }
  yield* resting(addressee, Effect.timeoutOption(done, PATIENCE))
}, Effect.scoped)

/** The call's own limits are not about the time a person takes. */
const resting = <A>({ calls }: Addressee, wait: Effect.Effect<A>): Effect.Effect<A> =>
  calls.reduce((inner, call) => call.asked(inner), wait)
