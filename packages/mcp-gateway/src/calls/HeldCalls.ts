/**
 * Requests of a client of revision 2026-07-28 about which a server asks something. The answer to such a request is the question, and
 * the client sends the request again with what it was asked for; meanwhile the call at the server is held.
 */
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { INVALID_PARAMS, type Refusal, refusal } from "../model/Sdk.ts"
import { type Abilities, type AskMethod, type ClientChannel, Unanswered } from "./ClientChannel.ts"

/** One sending of a request. */
export interface Round {
  /** The state that the client was given with the question; undefined for a new request. */
  readonly state: string | undefined
  readonly responses: Readonly<Record<string, unknown>>
  readonly can: Abilities
  readonly logLevel: string | null
  readonly notify: ClientChannel["notify"]
}

type Answer = Effect.Effect<Schema.JsonObject, Refusal>

export interface HeldCalls {
  /**
   * Runs a request until it is done or a server asks something, and gives the result or the question. Interruption cancels the
   * call. A question that the client does not come back with within ten minutes ends the call.
   */
  readonly round: (round: Round, begin: (channel: ClientChannel) => Answer) => Answer
}

/** How long a call is held for the answer to a question. */
export const PATIENCE = "10 minutes"
/** Calls of one client that are held at a time. */
export const MOST_HELD = 100
/** That of a UUID. */
const ID_LENGTH = 36

/** The calls of one client, which end with its scope. */
export const make = (scope: Scope.Scope): HeldCalls => {
  const held = new Map<string, HeldCall>()

  const begun = Effect.fnUntraced(function*(round: Round, begin: (channel: ClientChannel) => Answer) {
    const call = new HeldCall(round)
    call.fiber = yield* Effect.forkIn(begin(call), scope)
    return call
  })
  const resumed = (round: Round, state: string) => {
    const call = held.get(state.slice(0, ID_LENGTH))
    if (call === undefined || !call.isOfRound(state.slice(ID_LENGTH))) {
      return Effect.fail(refusal(INVALID_PARAMS, "Invalid or expired requestState"))
    }
    call.current = round
    return Effect.as(call.answered(round.responses), call)
  }
  const ended = (call: HeldCall) => {
    held.delete(call.id)
    return call.end
  }
  /** Held until the client comes back, a while at most, also where the call is done before that. */
  const hold = (call: HeldCall) => {
    if (held.size >= MOST_HELD && !held.has(call.id)) {
      return Effect.andThen(
        call.end,
        Effect.fail(refusal(INVALID_PARAMS, `more than ${MOST_HELD} requests wait for answers`))
      )
    }
    held.set(call.id, call)
    const round = call.current
    const expired = Effect.suspend(() => call.current === round ? ended(call) : Effect.void)
    return Effect.as(Effect.forkIn(Effect.delay(expired, PATIENCE), scope), call.questions())
  }
  return {
    round: Effect.fnUntraced(function*(round, begin) {
      const call = yield* round.state === undefined ? begun(round, begin) : resumed(round, round.state)
      const outcome: Answer = Effect.raceFirst(
        Effect.flatMap(call.result, (result) => {
          held.delete(call.id)
          return result
        }),
        // Questions that a server asks at one time go out together.
        call.asks.await.pipe(Effect.andThen(Effect.yieldNow), Effect.andThen(Effect.suspend(() => hold(call))))
      )
      return yield* Effect.onInterrupt(outcome, () => ended(call))
    })
  }
}

interface Question {
  readonly method: AskMethod
  readonly params: Schema.JsonObject
  readonly answer: Deferred.Deferred<Schema.JsonObject, Unanswered>
}

class HeldCall implements ClientChannel {
  readonly id = SecureRandom.uuidV4Unsafe()
  readonly hasVisitIds = false
  /** Open while a question is. */
  readonly asks = Latch.makeUnsafe(false)
  fiber: Fiber.Fiber<Schema.JsonObject, Refusal> | null = null
  /** The sending that is answered now, or was last. */
  current: Round
  private readonly open = new Map<string, Question>()
  private asked = 0
  private rounds = 0
  /** A client that knows what it will be asked may answer with its first request. */
  private readonly early: Map<string, unknown>

  constructor(round: Round) {
    this.current = round
    this.early = new Map(Object.entries(round.responses))
  }
  get can(): Abilities {
    return this.current.can
  }
  get logLevel(): string | null {
    return this.current.logLevel
  }
  get result(): Effect.Effect<Answer> {
    return this.fiber === null ? Effect.never : Effect.map(Fiber.await(this.fiber), (exit): Answer => exit)
  }
  get end(): Effect.Effect<void> {
    return this.fiber === null ? Effect.void : Fiber.interrupt(this.fiber)
  }
  notify(method: string, params: Schema.JsonObject): Effect.Effect<void> {
    return this.current.notify(method, params)
  }
  ask(method: AskMethod, params: Schema.JsonObject, name?: string): Effect.Effect<Schema.JsonObject, Unanswered> {
    return Effect.suspend(() => {
      const key = name === undefined || this.open.has(name) ? `ask-${this.asked += 1}` : name
      const early = this.early.get(key)
      this.early.delete(key)
      if (JsonRpc.isObject(early)) return Effect.succeed(early)
      const answer = Deferred.makeUnsafe<Schema.JsonObject, Unanswered>()
      this.open.set(key, { method, params, answer })
      return Effect.ensuring(
        Effect.andThen(this.asks.open, Deferred.await(answer)),
        Effect.suspend(() => this.settled(key))
      )
    })
  }
  /** The questions to the client, by keys of its own. */
  questions(): Schema.JsonObject {
    const inputRequests = Object.fromEntries(
      [...this.open].map(([key, { method, params }]) => [key, { method, params }])
    )
    this.rounds++
    return { resultType: "input_required", inputRequests, requestState: `${this.id}.${this.rounds}` }
  }
  /** Whether the client was given this; one that missed an answer comes back with an earlier one. */
  isOfRound(text: string): boolean {
    const round = /^\.(\d{1,9})$/.exec(text)?.[1]
    return round !== undefined && Number(round) >= 1 && Number(round) <= this.rounds
  }
  /** The client may answer some of the questions, and is asked the others again. */
  answered(responses: Round["responses"]): Effect.Effect<void> {
    return Effect.forEach(Object.entries(responses), ([key, response]) => {
      const question = this.open.get(key)
      if (question === undefined) return Effect.void
      const answer = JsonRpc.isObject(response)
        ? Effect.succeed(response)
        : Effect.fail(new Unanswered({ message: "the client's answer is no object" }))
      return Effect.andThen(Deferred.complete(question.answer, answer), this.settled(key))
    }, { discard: true })
  }
  private settled(key: string): Effect.Effect<void> {
    this.open.delete(key)
    return this.open.size === 0 ? Effect.asVoid(this.asks.close) : Effect.void
  }
}
