/** Speaks to a running server over HTTP. It loads the whole API, which a command without a running server does not need. */
import { ChatApi } from "@boocode/chat-server/ChatApi"
import { NodeFetch } from "@boocode/mcp-node"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
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
import { Foreign, fromDocument, Problem, ProblemDocument, Remote, serverLost, STILL_RUNS } from "./Remote.ts"

/** For what a server answers at once. */
const QUICK = "15 seconds"
/** How often a server is asked whether it still lives, while something takes its time. */
const PULSE = "10 seconds"

/** Sends nothing before the first request. */
export const layer = (
  url: string,
  token: Redacted.Redacted<string> | null = null
): Layer.Layer<Remote, never, HttpClient.HttpClient> =>
  Layer.effect(
    Remote,
    Effect.gen(function*() {
      const http = yield* HttpClient.HttpClient
      const api = yield* HttpApiClient.makeWith(ChatApi, {
        baseUrl: url,
        httpClient: HttpClient.transformResponse(
          token === null ? http : HttpClient.mapRequest(http, HttpClientRequest.bearerToken(token)),
          Effect.flatMap(refused)
        )
      })
      const sorted = <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.mapError(request, remoteFailure(url))
      const quick = <A, E, R>(request: Effect.Effect<A, E, R>) =>
        Effect.timeoutOrElse(sorted(request), { duration: QUICK, orElse: () => Effect.fail(silent(url)) })
      const pulse = Effect.retry(quick(api.health.health({ query: {} })), { times: 1 })
      const silence = Effect.forever(Effect.delay(pulse, PULSE))
      return Remote.of({
        url,
        api,
        quick,
        lasting: (request) => Effect.raceFirst(sorted(request), silence),
        alive: (stream) => Stream.interruptWhen(Stream.mapError(stream, remoteFailure(url)), silence)
      })
    })
  )

/** Asks a server for the proof of this number. */
export const proofBy = (remote: (url: string) => Layer.Layer<Remote>) => (url: string, nonce: string) =>
  Remote.use(({ api, quick }) => quick(api.health.health({ query: { nonce } }))).pipe(
    Effect.map(({ proof }) => proof),
    Effect.provide(remote(url))
  )

type Variables = Readonly<Record<string, string | undefined>>

/** Over Node's fetch. A redirect is an error: it could carry arguments and the token anywhere. */
export const layerFetch = (
  url: string,
  variables: Variables,
  token: Redacted.Redacted<string> | null = null
): Layer.Layer<Remote> =>
  layer(url, token).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" })),
    Layer.provide(
      Layer.effect(FetchHttpClient.Fetch, Effect.map(NodeFetch.make(direct(variables)), ({ fetch }) => fetch))
    )
  )

/** A proxy cannot reach this machine. */
const direct = (variables: Variables): Variables => ({
  ...variables,
  no_proxy: [variables["no_proxy"] ?? variables["NO_PROXY"] ?? "", "localhost,127.0.0.1,::1"].join(",")
})

const silent = (url: string) =>
  serverLost(
    `the server at ${url} did not answer within ${QUICK}`,
    "see whether it is busy or stopped; with --local this command works without it"
  )

const refused = (response: HttpClientResponse.HttpClientResponse) => {
  if (response.status < 400) return Effect.succeed(response)
  const foreign = () => Effect.fail(new Foreign({ what: `HTTP ${response.status}` }))
  return response.json.pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(ProblemDocument)),
    Effect.catchTags({ HttpClientError: foreign, SchemaError: foreign }),
    Effect.flatMap((document) => Effect.fail(fromDocument(document)))
  )
}

/** Either the server said why a request failed, or no usable answer came. */
const remoteFailure = (url: string) => (error: unknown): Failed | Problem => {
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
    : serverLost(`the connection to the server at ${url} broke: ${words(error)}`, STILL_RUNS)

const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_|DEPTH_|SELF_|UNABLE_)/

/** Whether the request certainly did not reach a server. */
const isUnsent = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" && UNSENT.test(error.code) ||
  Predicate.hasProperty(error, "cause") && isUnsent(error.cause) ||
  // fetch says this of a port that browsers do not open.
  error instanceof Error && error.message === "bad port"

/** The innermost message: Node wraps it in one that says only that a fetch failed. */
const words = (error: unknown): string => {
  if (Predicate.hasProperty(error, "reason")) return words(error.reason)
  if (Predicate.hasProperty(error, "cause") && error.cause instanceof Error) return words(error.cause)
  return error instanceof Error ? error.message || error.name : String(error)
}
