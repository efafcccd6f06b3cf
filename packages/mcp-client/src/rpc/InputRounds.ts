/** Goes on with a request for which a server needs answers first (2026-07-28, Multi Round-Trip Requests). */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Answers from "../asks/Answers.ts"
import type { Addressee } from "../asks/AskingCalls.ts"
import { MOST_OPEN } from "../asks/AskLimit.ts"
import * as ServerQuestion from "../asks/ServerQuestion.ts"
import * as JsonRpc from "../base/JsonRpc.ts"
import { type McpErrorReason, RequestFailed } from "../errors/McpError.ts"
import type { Further, Request, Send } from "./Requests.ts"

/** A server that still needs something after so many rounds gets no more of them. */
const MOST_ROUNDS = 10
/** The pause before a round for which there is nothing to answer: the server is only busy. */
const PACE = "250 millis"

export interface Options {
  readonly send: Send
  readonly answers: Answers.Answers
  readonly addressee: Addressee
}

/**
 * Answers what the server needs for a request, and sends it again with the answers and with the server's state as it came,
 * until it is done. Nothing of a round is kept beyond it, and the server's state is not looked into.
 */
export const goOn = Effect.fnUntraced(function*(
  request: Request,
  unfinished: Schema.JsonObject,
  options: Options
): Effect.fn.Return<Schema.JsonObject, McpErrorReason> {
  let result = unfinished
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const inputResponses = yield* respond(request, result["inputRequests"], options)
    // Anything but a text would be refused, as the state that the server gave in an earlier round would.
    const requestState = typeof result["requestState"] === "string" ? result["requestState"] : undefined
    if (inputResponses === null && requestState === undefined) {
      return yield* refused(request, INTERNAL, "the server needs an answer and does not ask for any")
    }
    if (inputResponses === null) yield* Effect.sleep(PACE)
    const params = {
      ...request.params,
      ...(inputResponses === null ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState })
    }
    result = yield* options.send({ ...request, params, further: AS_IT_IS })
    if (!isUnfinished(result)) return result
  }
  return yield* refused(request, INTERNAL, `the server needs more and more answers; ${MOST_ROUNDS} times are enough`)
})

/** The next round is the loop's. */
const AS_IT_IS: Further = { unfinished: (_, result) => Effect.succeed(result) }

const isUnfinished = ({ resultType }: Schema.JsonObject): boolean => resultType === "input_required"

/** The answers by the server's keys; null where it asks nothing. All are asked for at once. */
const respond = Effect.fnUntraced(function*(
  request: Request,
  inputRequests: Schema.Json | undefined,
  { addressee, answers }: Options
) {
  const asked = JsonRpc.isObject(inputRequests) ? Object.entries(inputRequests) : []
  if (asked.length === 0) return null
  const answered = yield* Effect.forEach(asked, ([key, value]) =>
    Effect.gen(function*() {
      const { method, params } = JsonRpc.isObject(value) ? value : {}
      if (typeof method !== "string" || !ServerQuestion.METHODS.has(method)) {
        return yield* new ServerQuestion.Refused({ code: INVALID, message: "the protocol has no such request" })
      }
      return [key, yield* answers.answer(method, params, { ...addressee, key })] as const
    }), { concurrency: MOST_OPEN }).pipe(
      Effect.catchTag("Refused", ({ code, message }) => refused(request, code, `what the server asked: ${message}`))
    )
  return Object.fromEntries(answered)
})

const INTERNAL = -32603
const INVALID = -32602

const refused = ({ method }: Request, code: number, detail: string) =>
  Effect.fail(new RequestFailed({ method, code, detail }))
