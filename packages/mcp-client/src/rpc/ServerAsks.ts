/** The questions of a server on a connection, in either era: in requests of its own, or in place of an answer. */
import type * as Clock from "effect/Clock"
import type * as Schema from "effect/Schema"
import * as Answers from "../asks/Answers.ts"
import * as AskingCalls from "../asks/AskingCalls.ts"
import type { Inquirer } from "../contract/Connection.ts"
import type { RequestFailed } from "../errors/McpError.ts"
import type { ServerHost } from "../host/ServerRequests.ts"
import * as InputRounds from "./InputRounds.ts"
import * as Requests from "./Requests.ts"
import type { Answer, Further, Request } from "./Requests.ts"
import * as RequiredVisits from "./RequiredVisits.ts"

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
      ? this.rest(request, (inner, options) => InputRounds.goOn(inner, result, options))
      : null
  }
  refused(request: Request, refusal: RequestFailed): Answer | null {
    return !this.options.isModern && RequiredVisits.isWanted(refusal)
      ? this.rest(request, (inner, options) => RequiredVisits.goOn(inner, refusal, options))
      : null
  }

  private rest(
    { call, further: _, onStarted, ...request }: Request,
    goOn: (rest: Request, options: InputRounds.Options) => Answer
  ): Answer | null {
    if (call === undefined) return null
    const { options } = this
    const send = (next: Request) => options.requests.send(next)
    const further = goOn({ ...request, call }, { send, answers: this.answers(), addressee: this.calls.addressee(call) })
    return Requests.aroundEnding(onStarted, further, () => options.onTimedOut())
  }
}
