/**
 * What a server may ask on a connection, in either era: in requests of its own, or in place of an answer.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Inquirer } from "../Connection.ts"
import type { RequestFailed } from "../McpError.ts"
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
  readonly clock: Clock.Clock
  /** Is told that a call took too long after its first request. */
  readonly onTimedOut: () => void
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
export const make = (options: Options): Asking => new Questions(options)

/** Goes on with what is no answer yet by itself, so that no call needs more than to know it. */
class Questions implements Asking, Further {
  readonly calls: AskingCalls.AskingCalls
  private readonly options: Options
  private made: Answers.Answers | null = null

  constructor(options: Options) {
    this.options = options
    this.calls = AskingCalls.make(options.host.asker, options.clock)
  }

  send(request: Request, inquirer: Inquirer): Answer {
    return this.calls.during(inquirer, (call) => this.options.requests.send({ ...request, call, further: this }))
  }
  answers(): Answers.Answers {
    const { clock, host, scrub } = this.options
    return this.made ??= Answers.make(host, scrub, clock)
  }
  get tellRoots(): Effect.Effect<void> | null {
    const { host: { roots }, isModern, requests } = this.options
    return isModern || roots === null
      ? null
      : Stream.runForEach(
        roots.changes,
        () => Effect.sync(() => requests.notify("notifications/roots/list_changed", {}))
      )
  }
  diagnostics(): ReadonlyArray<string> {
    return this.made?.diagnostics() ?? []
  }
  unfinished(request: Request, result: Schema.JsonObject): Answer | null {
    return this.options.isModern
      ? this.rest(request, (inner, options) => Rounds.goOn(inner, result, options))
      : null
  }
  refused(request: Request, refusal: RequestFailed): Answer | null {
    return !this.options.isModern && Visits.isWanted(refusal)
      ? this.rest(request, (inner, options) => Visits.goOn(inner, refusal, options))
      : null
  }

  private rest(
    { call, further: _, onStarted, ...request }: Request,
    goOn: (rest: Request, options: Rounds.Options) => Answer
  ): Answer | null {
    if (call === undefined) return null
    const { options } = this
    const send = (next: Request) => options.requests.send(next)
    const further = goOn({ ...request, call }, { send, answers: this.answers(), addressee: this.calls.addressee(call) })
    return Ending.around(onStarted, further, () => options.onTimedOut())
  }
}
