/** The failures of one request, and those between the start of a server and its first list of tools. */
import type * as Schema from "effect/Schema"
import * as SecureAddress from "../base/SecureAddress.ts"
import { codeOf, saidOf, seconds, tail } from "./ErrorWords.ts"
import { reason } from "./Reason.ts"

/** The arguments are not a JSON object. */
export class InvalidArguments extends reason<{
  readonly tool: string
  readonly detail: string
  /** Advice, where it is something else than for a tool. */
  readonly try?: string
}>()("InvalidArguments", {
  message: ({ detail, tool }) => `bad arguments for ${tool}: ${detail}`,
  hint: (fields) => fields.try ?? "arguments are one JSON object, as the tool's inputSchema describes it"
}) {}

/** A call was silent, or went on, for longer than it may. */
export class CallTimeout extends reason<{
  readonly tool: string
  readonly limitMillis: number
  readonly limit: "timeout" | "maxTotalTimeout"
}>()("CallTimeout", {
  message: ({ limit, limitMillis, tool }) =>
    limit === "timeout"
      ? `${tool} said nothing for ${seconds(limitMillis)}`
      : `${tool} was not done after ${seconds(limitMillis)}`,
  hint: ({ limit }) => `raise "${limit}" of the entry if it needs longer`
}) {}

/** A connected server did not answer a ping. */
export class Unresponsive extends reason<{ readonly limitMillis: number }>()("Unresponsive", {
  message: ({ limitMillis }) => `it did not answer a ping within ${seconds(limitMillis)}`,
  hint: "it may be busy, or hang; its log may say more, and restarting it helps where it hangs"
}) {}

/** The connection broke after the request was written. */
export class OutcomeUnknown extends reason<{
  readonly tool: string
  readonly why: string
  /** True when it was sent a second time, as "retry" of the entry says. */
  readonly isRepeated?: boolean
}>()("OutcomeUnknown", {
  message: ({ isRepeated, tool, why }) =>
    `outcome unknown: ${tool} was sent, then ${why}; ${
      isRepeated === true ? "it was sent twice" : "it was not sent again"
    }`,
  hint: "check whether it took effect before calling it again"
}) {}

/** One message was larger than the cap; only its call fails. */
export class MessageTooLarge extends reason<{
  readonly bytes: number
  readonly limitBytes: number
}>()("MessageTooLarge", {
  message: ({ bytes, limitBytes }) => `the answer has ${bytes} bytes, more than the ${limitBytes} a message may have`,
  hint: `ask for less, or raise "maxMessageBytes" of the entry`
}) {}

/** A URL that a server wants a person to open. */
export interface Visit {
  readonly elicitationId: string
  readonly message: string
  readonly url: string
}

/** The server answered a request with a JSON-RPC error. */
export class RequestFailed extends reason<{
  readonly method: string
  readonly code: number
  /** The server's message and, behind it, its data: the first 4,000 characters of each. */
  readonly detail: string
  /** The whole `data` of the error, without secrets. */
  readonly data?: Schema.Json
  /** The URLs that a person has to open first (2025-11-25, error -32042). */
  readonly visits?: ReadonlyArray<Visit>
}>()("RequestFailed", {
  message: ({ code, detail, method }) => `${method}: ${detail} (${code})`,
  hint: ({ visits: [first] = [] }) =>
    first === undefined || !SecureAddress.isSecure(first.url)
      ? "the server refused the request; its words say why"
      : `visit ${first.url}, if you trust the server with it, and try again`
}) {}

/** A step of the handshake took longer than it may. */
export class HandshakeTimeout extends reason<{
  readonly method: string
  readonly limitMillis: number
  readonly stderr: string
  /** Its other output, in words. */
  readonly said: ReadonlyArray<string>
  /** Better advice than the usual one. */
  readonly try?: string
}>()("HandshakeTimeout", {
  message: ({ limitMillis, method, said, stderr }) =>
    `no answer to ${method} within ${seconds(limitMillis)} ("startupTimeout")${saidOf(said)}${tail(stderr)}`,
  hint: (fields) => fields.try ?? `if the server is only slow to start, raise "startupTimeout"; else run it by hand`
}) {}

/** The server answered the handshake, but not with what the protocol asks for. */
export class HandshakeFailed extends reason<{
  readonly method: string
  readonly detail: string
  readonly code: number | null
  readonly stderr: string
  /** Better advice than the usual one. */
  readonly try?: string
}>()("HandshakeFailed", {
  message: ({ code, detail, method, stderr }) => {
    const what = code === null ? `${method} failed` : `the server refused ${method}`
    return `${what}: ${detail}${codeOf(code)}${tail(stderr)}`
  },
  hint: (fields) => {
    if (fields.try !== undefined) return fields.try
    return fields.code === null
      ? "check that this is an MCP server and that its transport is the one configured"
      : "the words are the server's own; its log may say more"
  }
}) {}

/** Both sides have no protocol revision in common. */
export class ProtocolMismatch extends reason<{
  readonly offered: ReadonlyArray<string>
  /** Empty when the server named none. */
  readonly supported: ReadonlyArray<string>
}>()("ProtocolMismatch", {
  message: ({ offered, supported }) => {
    const theirs = supported.length === 0 ? "it names none" : `it speaks ${supported.join(", ")}`
    return `no common protocol revision: we ask for ${offered.join(", ")}; ${theirs}`
  },
  hint: ({ offered, supported }) => {
    const newest = offered.reduce((a, b) => a > b ? a : b, "")
    // Revisions are dates.
    if (supported.length > 0 && supported.every((revision) => revision > newest && newest >= NEWEST)) {
      return "the server is newer than this version of BooCode: update BooCode, or use an older server"
    }
    const isNarrowed = offered.length === 1 || newest < NEWEST
    return isNarrowed ? `try "protocol": "auto", or update the server` : "update the server"
  }
}) {}

/** The tools could not be listed. */
export class ListFailed extends reason<{
  readonly method: string
  readonly detail: string
  readonly code: number | null
  /** The limit that the listing exceeded; null when it failed for another reason. */
  readonly limitMillis: number | null
  readonly stderr: string
  /** Better advice than the usual one. */
  readonly try?: string
}>()("ListFailed", {
  message: ({ code, detail, limitMillis, method, stderr }) => {
    const what = limitMillis === null
      ? `${method} failed: ${detail}${codeOf(code)}`
      : `no answer to ${method} within ${seconds(limitMillis)} ("startupTimeout")`
    return `${what}${tail(stderr)}`
  },
  hint: (fields) => {
    if (fields.try !== undefined) return fields.try
    return fields.limitMillis === null
      ? "the server connected but could not list; its own log should say why"
      : `the server connected; if it is only slow to list, raise "startupTimeout"`
  }
}) {}

/** The newest revision that is spoken here. */
const NEWEST = "2026-07-28"
