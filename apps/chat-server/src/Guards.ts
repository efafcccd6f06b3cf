/**
 * What every request passes before anything answers it, the outermost first.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as AccessGuard from "./AccessGuard.ts"
import * as BodyLimits from "./BodyLimits.ts"
import * as HostGuard from "./HostGuard.ts"
import * as OpenStreams from "./OpenStreams.ts"
import * as RequestMetrics from "./RequestMetrics.ts"

/** Answers itself, or lets what is behind it answer. */
export type Guard = <E, R>(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R | HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** `host` is the address the server binds. */
export const layer = (host: string) =>
  HttpRouter.middleware(
    Effect.gen(function*() {
      const isOurs = yield* HostGuard.guard(host)
      const isAllowed = yield* AccessGuard.guard
      const bounded = yield* OpenStreams.guard
      return <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
        RequestMetrics.guard(isOurs(isAllowed(bounded(BodyLimits.guard(httpEffect)))))
    }),
    { global: true }
  )
