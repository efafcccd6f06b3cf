/** Errors as OpenAI's wire has them. */
import type { ChatErrors, ChatStoreFailed, OverLimit, UnknownAgent, UnknownChat } from "@boocode/chat"
import type { ModelUnavailable } from "@boocode/language-models"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Match from "effect/Match"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Guard } from "../access/HostGuard.ts"

/** The error that a client reads when a request fails. */
export interface CompletionError {
  readonly status: number
  readonly message: string
  /** For programs, such as `model_not_found`. */
  readonly code: string
  /** The key of the request that is wrong; null when none is. */
  readonly param: string | null
}

/** A request that says something this server does not take. */
export const invalid = (param: string | null, message: string, code = "invalid_value"): CompletionError => ({
  status: 400,
  message,
  code,
  param
})

const told = (status: number, code: string, param: string | null = null) => (error: Told): CompletionError => ({
  status,
  message: wordsOf(error),
  code,
  param
})

interface Told {
  readonly message: string
  readonly hint: string
}

const wordsOf = ({ hint, message }: Told): string => hint === "" ? message : `${message}: ${hint}`

/** To ask again at once is of no use. */
const QUOTA = "insufficient_quota"

/** A turn could not begin. */
export const fromChats = Match.typeTags<
  | (UnknownAgent | UnknownChat | ModelUnavailable | ChatStoreFailed)
  | (ChatErrors.UnknownTurn | ChatErrors.QueueFull | ChatErrors.TurnRunning | ChatErrors.AttachmentRefused | OverLimit)
>()({
  UnknownAgent: told(404, "model_not_found", "model"),
  UnknownChat: told(409, "chat_removed"),
  UnknownTurn: told(409, "chat_removed"),
  ModelUnavailable: told(503, "model_unavailable"),
  ChatStoreFailed: told(503, "chats_unavailable"),
  QueueFull: told(429, "rate_limit_exceeded"),
  TurnRunning: told(409, "turn_running"),
  AttachmentRefused: told(400, "invalid_file", "messages"),
  LimitReached: told(429, QUOTA),
  TurnsAtOnce: told(429, "rate_limit_exceeded")
})

/**
 * A turn ended with an error. Clients send a request again by themselves after 429 and 5xx. 424 keeps them from it where
 * tools have run already, and where the provider would refuse again.
 */
export const ofTurn = ({ _tag, ...error }: Told & { readonly _tag: string }, hasCalled: boolean): CompletionError => {
  if (_tag === "LimitReached") return told(429, QUOTA)(error)
  if (_tag === "ContextTooLong") return told(400, "context_length_exceeded", "messages")(error)
  const status = STATUS[_tag] ?? 424
  return told(hasCalled ? 424 : status, codeOf(_tag))(error)
}

const STATUS: Readonly<Record<string, number>> = {
  RateLimitError: 429,
  QuotaExhaustedError: 429,
  ContentPolicyError: 400,
  InternalProviderError: 502,
  NetworkError: 502,
  ModelUnavailable: 503,
  UnknownAgent: 404,
  Defect: 500
}

/** `RateLimitError` becomes `rate_limit`. */
const codeOf = (tag: string): string =>
  tag.replace(/Error$/, "").replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** The program ended while it answered. */
export const INTERRUPTED: CompletionError = {
  status: 503,
  message: "the chat server ended before the answer did: send the request again",
  code: "interrupted",
  param: null
}

/** A person removed the chat while it answered. */
export const REMOVED: CompletionError = {
  status: 409,
  message: "the chat of this answer was removed while it ran: send the request again",
  code: "chat_removed",
  param: null
}

/** A fault of this program. */
export const UNKNOWN: CompletionError = {
  status: 500,
  message: "something went wrong on this side: the server's log says what",
  code: "internal_error",
  param: null
}

/** The body is larger than one may be. */
export const TOO_LARGE: CompletionError = {
  status: 413,
  message: "the body is larger than this server takes: send fewer or smaller images",
  code: "request_too_large",
  param: null
}

/** The document of an error, which stands in streams as well. */
export const document = ({ code, message, param, status }: CompletionError) => ({
  error: { message, type: typeOf(status), param, code }
})

const typeOf = (status: number): string =>
  status === 429 ? "rate_limit_error" : status >= 500 || status === 424 ? "server_error" : "invalid_request_error"

/** The answer to a request that fails. The official clients are told not to send it again where that would not help. */
export const response = (error: CompletionError): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(document(error), {
    status: error.status,
    headers: error.status === 429 && error.code !== QUOTA || error.status === 502 ? {} : { "x-should-retry": "false" }
  })

/** Has all that stands below refuse requests to `/v1` in OpenAI's words, with the headers that it gave. */
export const speaking: Guard = (httpEffect) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ url }) => /^\/v1(?![a-z0-9_-])/i.test(url) ? Effect.map(httpEffect, translated) : httpEffect
  )

const Problem = Schema.fromJsonString(
  Schema.Struct({ _tag: Schema.String, detail: Schema.String, hint: Schema.String })
)
const decodeProblem = Schema.decodeUnknownOption(Problem)

const CODES: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  413: "request_too_large",
  429: "rate_limit_exceeded"
}

const translated = (answer: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body, headers, status } = answer
  if (status < 400 || body._tag !== "Uint8Array" || !body.contentType.includes("problem+json")) return answer
  return Option.match(decodeProblem(new TextDecoder().decode(body.body)), {
    onNone: () => answer,
    onSome: ({ _tag, detail, hint }) => {
      const error = told(status, CODES[status] ?? codeOf(_tag))({ message: detail, hint })
      const { "content-length": _, "content-type": __, ...kept } = headers
      return HttpServerResponse.setHeaders(response(error), kept)
    }
  })
}
