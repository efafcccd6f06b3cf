/**
 * What a server may ask on a connection, in either era: in requests of its own, or in place of an answer.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Inquirer } from "../Connection.ts"
import * as Answers from "../requests/Answers.ts"
import * as AskingCalls from "../requests/AskingCalls.ts"
import type { ServerHost } from "../requests/ServerHost.ts"
import * as Ending from "./Ending.ts"
import type { Answer, Further, Request, Requests } from "./Requests.ts"
import * as Rounds from "./Rounds.ts"
import * as Visits from "./Visits.ts"

/** @category models */
export interface Options {
  readonly isModern: boolean
  readonly host: ServerHost
  readonly requests: Requests
  readonly scrub: (text: string) => string
}

/** @category models */
export interface Asking {
  /** Sends a request about which the server may ask whoever stands behind it. What it asked ends with the request. */
  readonly send: (request: Request, inquirer: Inquirer) => Answer
  /**
   * Tells the server when its folders become others, for as long as it is connected. To be run after the handshake. Null
   * where it is not told.
   */
  readonly tellRoots: Effect.Effect<void> | null
  /** Who answers, made when a server first asks: most never do. */
  readonly answers: () => Answers.Answers
  /** Who is asked. */
  readonly calls: AskingCalls.AskingCalls
  readonly diagnostics: () => ReadonlyArray<string>
}

/** @category constructors */
export const make = Effect.fnUntraced(function*(
  { host, isModern, requests, scrub }: Options
): Effect.fn.Return<Asking> {
  const clock = yield* Clock.Clock
  const calls = AskingCalls.make(host.asker, clock)
  let made: Answers.Answers | null = null
  const answers = () => made ??= Answers.make(host, scrub, clock)
  const { send } = requests
  const rest = (
    { call, further: _, onStarted, ...request }: Request,
    goOn: (rest: Request, options: Rounds.Options) => Answer
  ) =>
    call === undefined
      ? null
      : Ending.around(
        onStarted,
        goOn({ ...request, call }, { send, answers: answers(), addressee: calls.addressee(call) })
      )
  const further: Further = isModern
    ? { unfinished: (request, result) => rest(request, (inner, options) => Rounds.goOn(inner, result, options)) }
    : {
      refused: (request, refusal) =>
        Visits.isWanted(refusal) ? rest(request, (inner, options) => Visits.goOn(inner, refusal, options)) : null
    }
  return {
    send: (request, inquirer) => calls.during(inquirer, (call) => send({ ...request, call, further })),
    tellRoots: isModern || host.roots === null
      ? null
      : Stream.runForEach(
        host.roots.changes,
        () => Effect.sync(() => requests.notify("notifications/roots/list_changed", {}))
      ),
    answers,
    calls,
    diagnostics: () => made?.diagnostics() ?? []
  }
})
