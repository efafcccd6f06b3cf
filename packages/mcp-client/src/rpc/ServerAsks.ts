/** The questions of a server on a connection, in either era: in requests of its own, or in place of an answer. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Answers from "../asks/Answers.ts"
import * as AskingCalls from "../asks/AskingCalls.ts"
import type { Addressee } from "../asks/AskingCalls.ts"
import * as ServerQuestion from "../asks/ServerQuestion.ts"
import * as JsonRpc from "../base/JsonRpc.ts"
import type { Inquirer } from "../contract/Connection.ts"
import { type McpErrorReason, RequestFailed } from "../errors/McpError.ts"
import type { ServerHost } from "../host/ServerRequests.ts"
import * as Requests from "./Requests.ts"
import type { Answer, Further, Request, Send } from "./Requests.ts"

export interface Options {
  readonly isModern: boolean
  readonly host: ServerHost
  readonly requests: Pick<Requests.Requests, "send">
  readonly scrub: (text: string) => string
  readonly clock: Clock.Clock
  /** Is told that a call took too long after its first request. */
  readonly onTimedOut: () => void
}

/** Goes on with a request whose answer asks for something first, so that no call needs more than to know it. */
export class ServerAsks implements Further {
  /** The calls that a question may belong to. */
  readonly calls: AskingCalls.AskingCalls
  private readonly options: Options
  private made: Answers.Answers | null = null

  constructor(options: Options) {
    this.options = options
    this.calls = new AskingCalls.AskingCalls(options.host.asker, options.clock)
  }

  /** Sends a request about which the server may ask the inquirer. Its questions end with the request. */
  send(request: Request, inquirer: Inquirer): Answer {
    return this.calls.during(inquirer, (call) => this.options.requests.send({ ...request, call, further: this }))
  }
  /** Answers questions; made when a server first asks: most never do. */
  answers(): Answers.Answers {
    const { clock, host, scrub } = this.options
    return this.made ??= Answers.make(host, scrub, clock)
  }
  diagnostics(): ReadonlyArray<string> {
    return this.made?.diagnostics() ?? []
  }
  unfinished(request: Request, result: Schema.JsonObject): Answer | null {
    return this.options.isModern
      ? this.rest(request, (inner, options) => goOn(inner, result, options))
      : null
  }
  refused(request: Request, refusal: RequestFailed): Answer | null {
    return !this.options.isModern && isWanted(refusal)
      ? this.rest(request, (inner, options) => goOnVisit(inner, refusal, options))
      : null
  }

  private rest(
    { call, further: _, onStarted, ...request }: Request,
    goOn: (rest: Request, options: RoundsOptions) => Answer
  ): Answer | null {
    if (call === undefined) return null
    const { options } = this
    const send = (next: Request) => options.requests.send(next)
    const further = goOn({ ...request, call }, { send, answers: this.answers(), addressee: this.calls.addressee(call) })
    return Requests.aroundEnding(onStarted, further, () => options.onTimedOut())
  }
}

// Goes on with a request for which a server needs answers first (2026-07-28, Multi Round-Trip Requests).

/** A server that still needs something after so many rounds gets no more of them. */
export const MOST_ROUNDS = 10
/** The pause before a round for which there is nothing to answer: the server is only busy. */
const PACE = "250 millis"

export interface RoundsOptions {
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
  options: RoundsOptions
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
  { addressee, answers }: RoundsOptions
) {
  const asked = JsonRpc.isObject(inputRequests) ? Object.entries(inputRequests) : []
  if (asked.length === 0) return null
  const answered = yield* Effect.forEach(asked, ([key, value]) =>
    Effect.gen(function*() {
      const { method, params } = JsonRpc.isObject(value) ? value : {}
      if (typeof method !== "string" || !ServerQuestion.METHODS.has(method)) {
        return yield* new ServerQuestion.Refused({ code: INVALID, message: "what it asks is none of the protocol's" })
      }
      return [key, yield* answers.answer(method, params, addressee)] as const
    }), { concurrency: Answers.MOST_OPEN }).pipe(
      Effect.catchTag("Refused", ({ code, message }) => refused(request, code, `what the server asked: ${message}`))
    )
  return Object.fromEntries(answered)
})

const INTERNAL = -32603
const INVALID = -32602

const refused = ({ method }: Request, code: number, detail: string) =>
  Effect.fail(new RequestFailed({ method, code, detail }))

// Goes on with a request that a server refuses until a person has visited an address (2025-11-25, error -32042).

/** A server need not say that a visit is done: after so long the request is sent again anyway. */
export const PATIENCE = "2 minutes"

/** Whether a refusal names addresses to visit first. */
export const isWanted = ({ visits }: RequestFailed): boolean => (visits ?? []).length > 0

/**
 * Asks for each visit in turn, and sends the request once more when all are done: it was refused, so nothing happens twice.
 * Otherwise the refusal says where to go.
 */
const goOnVisit = (request: Request, refusal: RequestFailed, options: RoundsOptions): Answer =>
  Effect.andThen(paid(refusal, options), options.send(request))

/** Fails with the refusal where one of the visits is not paid. */
const paid = Effect.fnUntraced(function*(refusal: RequestFailed, { addressee, answers }: RoundsOptions) {
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
