/** A running server as its API shows it: every wait has a limit, and every failure has words. */
import { ChatApi } from "@boocode/chat-server/ChatApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Failed } from "../terminal/Failure.ts"

export class Remote extends Context.Service<Remote, {
  readonly url: string
  readonly api: Api
  /** For what is answered at once: 15 s at most. */
  readonly quick: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, Failed | Problem, R>
  /** For what takes as long as it takes: until the server itself is silent, which takes 40 s at most to notice. */
  readonly lasting: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, Failed | Problem, R>
  /** The same for a stream. */
  readonly alive: <A, E, R>(stream: Stream.Stream<A, E, R>) => Stream.Stream<A, Failed | Problem, R>
}>()("cli/Remote") {}

// Speaks to a running server over HTTP. It brings the whole API, which commands without a running server do not load.

/** For what a server answers at once. */
const QUICK = "15 seconds"
/** How often it is asked whether it still lives, while something takes its time. */
const PULSE = "10 seconds"

export type Api = Effect.Success<ReturnType<typeof client>>

/** Asks nothing yet. */
export const clientLayer = (
  url: string,
  token: Redacted.Redacted<string> | null = null
): Layer.Layer<Remote, never, HttpClient.HttpClient> =>
  Layer.effect(Remote, Effect.map(client(url, token), (api) => make(url, api)))

const client = (url: string, token: Redacted.Redacted<string> | null) =>
  Effect.flatMap(HttpClient.HttpClient, (http) =>
    HttpApiClient.makeWith(ChatApi, {
      baseUrl: url,
      httpClient: HttpClient.transformResponse(
        token === null ? http : HttpClient.mapRequest(http, HttpClientRequest.bearerToken(token)),
        Effect.flatMap(refused)
      )
    }))

const make = (url: string, api: Api): typeof Remote.Service => {
  const told = <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.mapError(request, remoteFailure(url))
  const quick = <A, E, R>(request: Effect.Effect<A, E, R>) =>
    Effect.timeoutOrElse(told(request), {
      duration: QUICK,
      orElse: () => Effect.fail(silent(url, QUICK))
    })
  const pulse = Effect.retry(quick(api.health.health({ query: {} })), { times: 1 })
  const silence = Effect.forever(Effect.delay(pulse, PULSE))
  return {
    url,
    api,
    quick,
    lasting: (request) => Effect.raceFirst(told(request), silence),
    alive: (stream) => Stream.interruptWhen(Stream.mapError(stream, remoteFailure(url)), silence)
  }
}

// What went wrong between here and a running server, and what it says went wrong there.

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
export const remoteFailure = (url: string) => (error: unknown): Failed | Problem => {
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
