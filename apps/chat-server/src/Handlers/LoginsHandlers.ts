/**
 * Signing in to remote servers, and out.
 */
import { McpConfig } from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Result from "effect/Result"
import * as ApiErrors from "../ApiErrors.ts"
import * as Callback from "../Callback.ts"
import { ChatApi } from "../ChatApi.ts"
import { type LoginOver, type UnknownLogin, type WrongCallback, WrongRedirect } from "../Login.ts"
import { Logins, type Wish } from "../Logins.ts"
import * as RedirectAddress from "../RedirectAddress.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "logins",
  Effect.fnUntraced(function*(handlers) {
    const logins = yield* Logins
    const registry = yield* McpRegistry
    const config = yield* McpConfig
    const ofEntry = Effect.fnUntraced(function*(name: string) {
      const entry = (yield* config.current).servers.find((server) => server.name === name)
      if (entry === undefined || Result.isFailure(entry.config)) return null
      const { transport } = entry.config.success
      return transport._tag === "stdio" ? null : Callback.ofEntry(transport.oauth)
    })

    return handlers.handleAll({
      begin: Effect.fnUntraced(function*({ params, payload, request }) {
        const asked = payload?.redirectUri ?? null
        if (asked !== null && !Callback.isHere(asked)) {
          return yield* Effect.fail(ApiErrors.badRequest(new WrongRedirect()))
        }
        const way = wayBack(RedirectAddress.own(request), yield* ofEntry(params.name), asked)
        const wish = { server: params.name, ...way ?? { redirectUri: RedirectAddress.nowhere(request), by: "paste" } }
        return yield* Effect.mapError(logins.begin(wish), ApiErrors.fromMcp)
      }),
      get: ({ params }) => Effect.mapError(logins.find(params.id), ApiErrors.notFound),
      answer: ({ params, payload }) => Effect.mapError(logins.answer(params.id, payload.callbackUrl), problem),
      cancel: ({ params }) => Effect.mapError(logins.cancel(params.id), ApiErrors.notFound),
      logout: ({ params }) => Effect.mapError(registry.logout(params.name), ApiErrors.fromMcp)
    })
  })
)

type Way = Pick<Wish, "by" | "redirectUri">

/** What the entry says goes first: its authorization server knows no other. Null where there is no way. */
const wayBack = (own: string | null, ofEntry: string | null, asked: string | null): Way | null => {
  const redirectUri = ofEntry ?? asked ?? own
  if (redirectUri === null) return null
  if (redirectUri === own) return { redirectUri, by: "server" }
  // Whoever asks for an address waits there; else a browser of this machine finds us at the one of the entry.
  const isOurs = asked === null && own !== null && Callback.isHere(own) && Callback.isHere(redirectUri)
  return { redirectUri, by: isOurs ? "listen" : "paste" }
}

const problem = (error: UnknownLogin | LoginOver | WrongCallback) => {
  switch (error._tag) {
    case "UnknownLogin":
      return ApiErrors.notFound(error)
    case "LoginOver":
      return ApiErrors.conflict(error.state, error)
    case "WrongCallback":
      return ApiErrors.badRequest(error)
  }
}
