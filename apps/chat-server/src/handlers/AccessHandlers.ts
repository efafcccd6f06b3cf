/** Logging in to this server, and out. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import { Access, COOKIE } from "../access/Access.ts"
import { LIFE } from "../access/LoginSessions.ts"
import { ChatApi } from "../api/ChatApi.ts"
import * as AccessGuard from "../http/AccessGuard.ts"
import * as LoginCallback from "../services/LoginCallback.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "access",
  Effect.fnUntraced(function*(handlers) {
    const access = yield* Access
    return handlers.handleAll({
      login: Effect.fnUntraced(function*({ payload, request }) {
        const session = yield* Effect.result(access.login(request, Redacted.value(payload.token)))
        if (session._tag === "Failure") return AccessGuard.response(session.failure)
        return session.success === null ? done : withCookie(request, Redacted.value(session.success))
      }),
      logout: ({ request }) =>
        Effect.as(access.logout(request), HttpServerResponse.expireCookieUnsafe(done, COOKIE, OPTIONS))
    })
  })
)

const done = HttpServerResponse.empty({ status: 204 })

/** No page can read it, and no other site's request brings it along. */
const OPTIONS = { path: "/", httpOnly: true, sameSite: "strict" } as const

const withCookie = (request: HttpServerRequest.HttpServerRequest, id: string) =>
  HttpServerResponse.setCookieUnsafe(done, COOKIE, id, {
    ...OPTIONS,
    secure: LoginCallback.isHttps(request),
    maxAge: LIFE
  })
