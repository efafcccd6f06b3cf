/**
 * What goes wrong with one call.
 */
import * as Data from "effect/Data"
import type * as Schema from "effect/Schema"
import * as SecureAddress from "../auth/SecureAddress.ts"
import { type Details, seconds } from "./Words.ts"

/** The arguments are not a JSON object. @category reasons */
export class InvalidArguments extends Data.TaggedError("InvalidArguments")<{
  readonly tool: string
  readonly detail: string
  /** What to try, where that is something else than for a tool. */
  readonly try?: string
}> implements Details {
  override get message() {
    return `bad arguments for ${this.tool}: ${this.detail}`
  }
  get hint() {
    return this.try ?? "arguments are one JSON object, as the tool's inputSchema describes it"
  }
}

/** A call was silent, or went on, for longer than it may. @category reasons */
export class CallTimeout extends Data.TaggedError("CallTimeout")<{
  readonly tool: string
  readonly limitMillis: number
  readonly limit: "timeout" | "maxTotalTimeout"
}> implements Details {
  override get message() {
    return this.limit === "timeout"
      ? `${this.tool} said nothing for ${seconds(this.limitMillis)}`
      : `${this.tool} was not done after ${seconds(this.limitMillis)}`
  }
  get hint() {
    return `raise "${this.limit}" of the entry if it needs longer`
  }
}

/** A server that should be there did not answer when it was asked. @category reasons */
export class Unresponsive extends Data.TaggedError("Unresponsive")<{
  readonly limitMillis: number
}> implements Details {
  override get message() {
    return `it did not answer a ping within ${seconds(this.limitMillis)}`
  }
  get hint() {
    return "it may be busy, or hang; its log may say more, and restarting it helps where it hangs"
  }
}

/** The connection broke after the request was written (Decision 8). @category reasons */
export class OutcomeUnknown extends Data.TaggedError("OutcomeUnknown")<{
  readonly tool: string
  readonly why: string
  /** True when it was sent a second time, as "retry" of the entry says. */
  readonly isRepeated?: boolean
}> implements Details {
  override get message() {
    const end = this.isRepeated === true ? "it was sent twice" : "it was not sent again"
    return `outcome unknown: ${this.tool} was sent, then ${this.why}; ${end}`
  }
  get hint() {
    return "check whether it took effect before calling it again"
  }
}

/** One message was larger than the cap; only its call fails (Decision 11). @category reasons */
export class MessageTooLarge extends Data.TaggedError("MessageTooLarge")<{
  readonly bytes: number
  readonly limitBytes: number
}> implements Details {
  override get message() {
    return `the answer has ${this.bytes} bytes, more than the ${this.limitBytes} a message may have`
  }
  get hint() {
    return `ask for less, or raise "maxMessageBytes" of the entry`
  }
}

/** An address that a server wants visited. @category models */
export interface Visit {
  readonly elicitationId: string
  readonly message: string
  readonly url: string
}

/** The server answered a request with a JSON-RPC error. @category reasons */
export class RequestFailed extends Data.TaggedError("RequestFailed")<{
  readonly method: string
  readonly code: number
  /** The words of the server and, behind them, its data: the first 4,000 characters of each. */
  readonly detail: string
  /** The `data` of the error without secrets, all of it. */
  readonly data?: Schema.Json
  /** What a person has to visit first (2025-11-25, error -32042). */
  readonly visits?: ReadonlyArray<Visit>
}> implements Details {
  override get message() {
    return `${this.method}: ${this.detail} (${this.code})`
  }
  get hint() {
    const [first] = this.visits ?? []
    return first === undefined || !SecureAddress.isSecure(first.url)
      ? "the server refused the request; its words say why"
      : `visit ${first.url}, if you trust the server with it, and try again`
  }
}
