/** Speaks to a running server over HTTP. It brings the whole API, which commands without a running server do not load. */
import { ChatApi } from "@boocode/chat-server/ChatApi"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"

/** For what a server answers at once. */
const QUICK = "15 seconds"
/** How often it is asked whether it still lives, while something takes its time. */
const PULSE = "10 seconds"

export type Api = Effect.Success<ReturnType<typeof client>>

/** Asks nothing yet. */
export const layer = (
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
