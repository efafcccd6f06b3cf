/** Signing in to remote servers, and out. */
import { CurrentUser, PersonRegistry } from "@boocode/chat"
import { McpConfig } from "@boocode/mcp-config"
import { McpRegistries, type McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Match from "effect/Match"
import * as Result from "effect/Result"
import { requester } from "../access/Requester.ts"
import { ChatApi } from "../api/ChatApi.ts"
import { type Login, type LoginOver, type UnknownLogin, type WrongCallback, WrongRedirect } from "../api/LoginsApi.ts"
import * as Problems from "../api/Problems.ts"
import * as AccessGuard from "../http/AccessGuard.ts"
import * as LoginCallback from "../services/LoginCallback.ts"
import { type LoginPlan, Logins } from "../services/Logins.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "logins",
  Effect.fnUntraced(function*(handlers) {
    const logins = yield* Logins
    const registries = yield* McpRegistries
    /** Signing in to a server that all share changes what holds for everyone. */
    const allowed = Effect.fnUntraced(function*(registry: McpRegistry["Service"], name: string) {
      const { sharing } = yield* Effect.mapError(registry.server(name), Problems.fromMcp)
      if (sharing === "shared" && !AccessGuard.mayAsAdmin(yield* requester)) {
        return yield* Effect.fail(Problems.forbidden(AccessGuard.ADMINS_ONLY))
      }
    })
    const use = <A, E, R>(body: (registry: McpRegistry["Service"]) => Effect.Effect<A, E, R>) =>
      Effect.provideService(PersonRegistry.use(body), McpRegistries, registries)
    const config = yield* McpConfig
    const ofEntry = Effect.fnUntraced(function*(name: string) {
      const entry = (yield* config.current).servers.find((server) => server.name === name)
      if (entry === undefined || Result.isFailure(entry.config)) return null
      const { transport } = entry.config.success
      return transport._tag === "stdio" ? null : LoginCallback.ofEntry(transport.oauth)
    })

    return handlers.handleAll({
      begin: Effect.fnUntraced(function*({ params, payload, request }) {
        yield* use((registry) => allowed(registry, params.name))
        const asked = payload?.redirectUri ?? null
        if (asked !== null && !LoginCallback.isHere(asked)) {
          return yield* Effect.fail(Problems.badRequest(new WrongRedirect()))
        }
        const way = wayBack(LoginCallback.own(request), yield* ofEntry(params.name), asked)
        const { id: person } = yield* CurrentUser
        const plan = {
          server: params.name,
          person,
          ...way ?? { redirectUri: LoginCallback.nowhere(request), by: "paste" }
        }
        return yield* Effect.mapError(logins.begin(plan), Problems.fromMcp)
      }),
      get: ({ params }) => Effect.mapError(asSelf((id) => logins.find(id, params.id)), Problems.notFound),
      answer: ({ params, payload }) =>
        Effect.mapError(asSelf((id) => logins.answer(id, params.id, payload.callbackUrl)), problem),
      cancel: ({ params }) => Effect.mapError(asSelf((id) => logins.cancel(id, params.id)), Problems.notFound),
      logout: ({ params }) =>
        use((registry) =>
          Effect.andThen(
            allowed(registry, params.name),
            Effect.mapError(registry.logout(params.name), Problems.fromMcp)
          )
        )
    })
  })
)

const asSelf = <A, E, R>(use: (person: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(CurrentUser, ({ id }) => use(id))

type Way = Pick<LoginPlan, "by" | "redirectUri">

/** The address of the entry goes first: its authorization server knows no other. Null where there is none. */
const wayBack = (own: string | null, ofEntry: string | null, asked: string | null): Way | null => {
  const redirectUri = ofEntry ?? asked ?? own
  if (redirectUri === null) return null
  if (redirectUri === own) return { redirectUri, by: "server" }
  // A client that asked for an address waits there. Else this server listens at the one of the entry.
  const isOurs = asked === null && own !== null && LoginCallback.isHere(own) && LoginCallback.isHere(redirectUri)
  return { redirectUri, by: isOurs ? "listen" : "paste" }
}

const problem = Match.typeTags<UnknownLogin | LoginOver | WrongCallback>()({
  UnknownLogin: Problems.notFound,
  LoginOver: (error) => Problems.conflict(error.state, error),
  WrongCallback: Problems.badRequest
})

/**
 * `GET /oauth/callback` takes the browser after a login at a remote server. It needs no token of this server, which the browser
 * may not have, but a `state` that nobody can guess and that works once.
 */
export const callbackLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const logins = yield* Logins
  yield* router.add(
    "GET",
    LoginCallback.PATH,
    Effect.gen(function*() {
      const { method, url } = yield* HttpServerRequest.HttpServerRequest
      const search = url.slice(url.indexOf("?") + 1)
      const state = new URLSearchParams(search).get("state") ?? ""
      // A HEAD that looks ahead must not use up the state.
      const login = method === "GET" && state !== "" ? yield* logins.arrive(state, search) : null
      return response(login === null ? LoginCallback.unknown : pageOf(login))
    })
  )
}))

const pageOf = ({ hint, message, server, state }: Login): LoginCallback.CallbackPage => {
  switch (state) {
    case "done":
      return LoginCallback.makePage(200, `Signed in to ${server}`, "You can close this window.")
    case "waiting":
      return LoginCallback.makePage(200, `Signing in to ${server}`, "It goes on without this window. You can close it.")
    case "cancelled":
      return LoginCallback.makePage(200, `The login to ${server} was cancelled`, "You can close this window.")
    case "failed":
      return LoginCallback.makePage(
        200,
        `Not signed in to ${server}`,
        ...[message ?? "", hint ?? ""].filter((text) => text !== "")
      )
  }
}

const response = ({ body, headers, status }: LoginCallback.CallbackPage) =>
  HttpServerResponse.text(body, { status, headers, contentType: headers["content-type"] })
