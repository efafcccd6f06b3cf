/**
 * What goes wrong between the start of a server and its first list of tools.
 */
import * as Data from "effect/Data"
import { codeOf, type Details, saidOf, seconds, tail } from "./Words.ts"

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
