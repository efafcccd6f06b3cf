/** A running server as its API shows it: every wait has a limit, and every failure has words. */
import { ChatApi } from "@boocode/chat-server/ChatApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Failed } from "./Failure.ts"
import * as RemoteFailure from "./RemoteFailure.ts"

/** For what a server answers at once. */
const QUICK = "15 seconds"
/** How often it is asked whether it still lives, while something takes its time. */
const PULSE = "10 seconds"

type Api = Effect.Success<ReturnType<typeof client>>

export class Remote extends Context.Service<Remote, {
  readonly url: string
  readonly api: Api
  /** For what is answered at once: 15 s at most. */
  readonly quick: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, Failed | RemoteFailure.Problem, R>
  /** For what takes as long as it takes: until the server itself is silent, which takes 40 s at most to notice. */
  readonly lasting: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, Failed | RemoteFailure.Problem, R>
  /** The same for a stream. */
  readonly alive: <A, E, R>(stream: Stream.Stream<A, E, R>) => Stream.Stream<A, Failed | RemoteFailure.Problem, R>
}>()("cli/Remote") {
  /** Asks nothing yet. */
  static readonly layer = (
    url: string,
    token: Redacted.Redacted<string> | null = null
  ): Layer.Layer<Remote, never, HttpClient.HttpClient> =>
    Layer.effect(Remote, Effect.map(client(url, token), (api) => make(url, api)))
}

const client = (url: string, token: Redacted.Redacted<string> | null) =>
  Effect.flatMap(HttpClient.HttpClient, (http) =>
    HttpApiClient.makeWith(ChatApi, {
      baseUrl: url,
      httpClient: HttpClient.transformResponse(
        token === null ? http : HttpClient.mapRequest(http, HttpClientRequest.bearerToken(token)),
        Effect.flatMap(RemoteFailure.refused)
      )
    }))

const make = (url: string, api: Api): typeof Remote.Service => {
  const told = <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.mapError(request, RemoteFailure.told(url))
  const quick = <A, E, R>(request: Effect.Effect<A, E, R>) =>
    Effect.timeoutOrElse(told(request), {
      duration: QUICK,
      orElse: () => Effect.fail(RemoteFailure.silent(url, QUICK))
    })
  const pulse = Effect.retry(quick(api.health.health({ query: {} })), { times: 1 })
  const silence = Effect.forever(Effect.delay(pulse, PULSE))
  return {
    url,
    api,
    quick,
    lasting: (request) => Effect.raceFirst(told(request), silence),
    alive: (stream) => Stream.interruptWhen(Stream.mapError(stream, RemoteFailure.told(url)), silence)
  }
}
