/**
 * What goes wrong with one call.
 */
import * as Data from "effect/Data"
import type * as Schema from "effect/Schema"
import * as SecureAddress from "../base/SecureAddress.ts"
import { codeOf, type Details, saidOf, seconds, tail } from "./ErrorWords.ts"

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

// What goes wrong between the start of a server and its first list of tools.

/** A step of the handshake took longer than it may. @category reasons */
export class HandshakeTimeout extends Data.TaggedError("HandshakeTimeout")<{
  readonly method: string
  readonly limitMillis: number
  readonly stderr: string
  /** What is worth telling about what it wrote instead. */
  readonly said: ReadonlyArray<string>
  /** Better advice than the usual one. */
  readonly try?: string
}> implements Details {
  override get message() {
    const limit = `${seconds(this.limitMillis)} ("startupTimeout")`
    return `no answer to ${this.method} within ${limit}${saidOf(this.said)}${tail(this.stderr)}`
  }
  get hint() {
    return this.try ?? `if the server is only slow to start, raise "startupTimeout"; else run it by hand`
  }
}

/** The handshake was answered, but not with what the protocol asks for. @category reasons */
export class HandshakeFailed extends Data.TaggedError("HandshakeFailed")<{
  readonly method: string
  readonly detail: string
  readonly code: number | null
  readonly stderr: string
  /** Better advice than the usual one. */
  readonly try?: string
}> implements Details {
  override get message() {
    const what = this.code === null ? `${this.method} failed` : `the server refused ${this.method}`
    return `${what}: ${this.detail}${codeOf(this.code)}${tail(this.stderr)}`
  }
  get hint() {
    if (this.try !== undefined) return this.try
    return this.code === null
      ? "check that this is an MCP server and that its transport is the one configured"
      : "the words are the server's own; its log may say more"
  }
}

/** Both sides have no protocol revision in common. @category reasons */
export class ProtocolMismatch extends Data.TaggedError("ProtocolMismatch")<{
  readonly offered: ReadonlyArray<string>
  /** Empty when the server named none. */
  readonly supported: ReadonlyArray<string>
}> implements Details {
  override get message() {
    const theirs = this.supported.length === 0 ? "it names none" : `it speaks ${this.supported.join(", ")}`
    return `no common protocol revision: we ask for ${this.offered.join(", ")}; ${theirs}`
  }
  get hint() {
    const newest = this.offered.reduce((a, b) => a > b ? a : b, "")
    // Revisions are dates.
    if (this.supported.length > 0 && this.supported.every((revision) => revision > newest && newest >= NEWEST)) {
      return "the server is newer than this version of BooCode: update BooCode, or use an older server"
    }
    const isNarrowed = this.offered.length === 1 || newest < NEWEST
    return isNarrowed ? `try "protocol": "auto", or update the server` : "update the server"
  }
}

/** The tools could not be listed. @category reasons */
export class ListFailed extends Data.TaggedError("ListFailed")<{
  readonly method: string
  readonly detail: string
  readonly code: number | null
  /** The limit that the listing exceeded; null when it failed for another reason. */
  readonly limitMillis: number | null
  readonly stderr: string
  /** Better advice than the usual one. */
  readonly try?: string
}> implements Details {
  override get message() {
    const what = this.limitMillis === null
      ? `${this.method} failed: ${this.detail}${codeOf(this.code)}`
      : `no answer to ${this.method} within ${seconds(this.limitMillis)} ("startupTimeout")`
    return `${what}${tail(this.stderr)}`
  }
  get hint() {
    if (this.try !== undefined) return this.try
    return this.limitMillis === null
      ? "the server connected but could not list; its own log should say why"
      : `the server connected; if it is only slow to list, raise "startupTimeout"`
  }
}

/** The newest revision that is spoken here. */
const NEWEST = "2026-07-28"
