/** What went wrong between here and a running server, and what it says went wrong there. */
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Failed } from "./Failure.ts"

/** The document that the server sent in place of an answer. */
export class Problem extends Schema.TaggedError<Problem>()("Problem", {
  tag: Schema.String,
  message: Schema.String,
  hint: Schema.String,
  nearest: Schema.Array(Schema.String),
  /** Which limit of a server's entry a call went past. */
  limit: Schema.NullOr(Schema.String)
}) {}

const Document = Schema.Struct({
  _tag: Schema.String,
  detail: Schema.String,
  hint: Schema.String,
  nearest: Schema.optionalKey(Schema.Array(Schema.String)),
  limit: Schema.optionalKey(Schema.NullOr(Schema.String))
})

/** Lets a good answer through. */
export const refused = (response: HttpClientResponse.HttpClientResponse) =>
  response.status < 400 ? Effect.succeed(response) : Effect.flatMap(response.json, problem(response.status)).pipe(
    Effect.catchTag("HttpClientError", () => Effect.fail(foreign(`HTTP ${response.status}`)))
  )

const problem = (status: number) => (body: unknown) =>
  Schema.decodeUnknownEffect(Document)(body).pipe(
    Effect.mapError(() => foreign(`HTTP ${status}`)),
    Effect.flatMap((document) => Effect.fail(fromDocument(document)))
  )

/** A problem document as the failure that it tells of. */
export const fromDocument = ({ _tag, detail, hint, limit, nearest }: typeof Document.Type): Problem =>
  new Problem({ tag: _tag, message: detail, hint, nearest: nearest ?? [], limit: limit ?? null })

const foreign = (what: string) => new Foreign({ what })

/** Something answers there that does not speak as this command expects. */
class Foreign extends Schema.TaggedError<Foreign>()("Foreign", { what: Schema.String }) {}

/** What a person or script is told of a problem when nobody here knows more about it. */
export const plainly = (error: Failed | Problem): Failed =>
  error instanceof Failed ? error : new Failed({ tag: error.tag, message: error.message, hint: error.hint })

/** Sorts whatever a request failed with: the server said why, or no answer came that can be used. */
export const told = (url: string) => (error: unknown): Failed | Problem => {
  if (error instanceof Failed || error instanceof Problem) return error
  if (HttpClientError.isHttpClientError(error) && error.response === undefined) return unreachable(url, error)
  const what = error instanceof Foreign ? error.what : words(error)
  return new Failed({
    tag: "UnexpectedAnswer",
    message: `${url} answers, but not as a BooCode server of this version does: ${what}`,
    hint: "check the address, and that the server there is of the version that boocode --version prints"
  })
}

const unreachable = (url: string, error: HttpClientError.HttpClientError): Failed =>
  isUnsent(error)
    ? new Failed({
      tag: "NoServer",
      message: `no server can be reached at ${url}: ${words(error)}`,
      hint: "check the address; boocode serve starts one"
    })
    : new Failed({
      tag: BROKEN,
      message: `the connection to the server at ${url} broke: ${words(error)}`,
      hint: "see whether it still runs; its own output says why it ended"
    })

/** What a request that may have been received, and never was answered, ends with. */
const BROKEN = "ServerLost"

export const isLost = (error: Failed): boolean => error.tag === BROKEN

export const silent = (url: string, limit: string): Failed =>
  new Failed({
    tag: BROKEN,
    message: `the server at ${url} did not answer within ${limit}`,
    hint: "see whether it is busy or stopped; with --local this command does without it"
  })

export const brokenOff = (url: string): Failed =>
  new Failed({
    tag: BROKEN,
    message: `the server at ${url} ended the stream before the turn was done`,
    hint: "the turn may have gone on there; its page shows the chat"
  })

export const cutOff = (url: string): Failed =>
  new Failed({
    tag: BROKEN,
    message: `the server at ${url} ended the stream, before what it told of was done`,
    hint: "see whether it still runs; its own output says why it ended"
  })

const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_|DEPTH_|SELF_|UNABLE_)/

/** Whether the request certainly reached nobody. */
const isUnsent = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" && UNSENT.test(error.code) ||
  Predicate.hasProperty(error, "cause") && isUnsent(error.cause) ||
  // What fetch says of a port that browsers do not go to.
  error instanceof Error && error.message === "bad port"

/** The innermost words: what Node wraps them in says only that a fetch failed. */
const words = (error: unknown): string => {
  if (Predicate.hasProperty(error, "reason")) return words(error.reason)
  if (Predicate.hasProperty(error, "cause") && error.cause instanceof Error) return words(error.cause)
  return error instanceof Error ? error.message || error.name : String(error)
}
