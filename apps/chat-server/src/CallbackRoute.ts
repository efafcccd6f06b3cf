/**
 * `GET /oauth/callback`: where a browser comes back to after a login at a remote server. It needs no token of this server,
 * which the browser may not have, but a `state` that nobody can guess and that is taken once.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Callback from "./Callback.ts"
import * as CallbackPage from "./CallbackPage.ts"
import type { Login } from "./Login.ts"
import { Logins } from "./Logins.ts"

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const logins = yield* Logins
  yield* router.add(
    "GET",
    Callback.PATH,
    Effect.gen(function*() {
      const { method, url } = yield* HttpServerRequest.HttpServerRequest
      const search = url.slice(url.indexOf("?") + 1)
      const state = new URLSearchParams(search).get("state") ?? ""
      // What only looks ahead, as HEAD does, must not use up the state.
      const login = method === "GET" && state !== "" ? yield* logins.arrive(state, search) : null
      return response(login === null ? CallbackPage.unknown : pageOf(login))
    })
  )
}))

const pageOf = ({ hint, message, server, state }: Login): CallbackPage.CallbackPage => {
  switch (state) {
    case "done":
      return CallbackPage.make(200, `Signed in to ${server}`, "You can close this window.")
    case "waiting":
      return CallbackPage.make(200, `Signing in to ${server}`, "It goes on without this window. You can close it.")
    case "cancelled":
      return CallbackPage.make(200, `The login to ${server} was cancelled`, "You can close this window.")
    case "failed":
      return CallbackPage.make(
        200,
        `Not signed in to ${server}`,
        ...[message ?? "", hint ?? ""].filter((text) => text !== "")
      )
  }
}

const response = ({ body, headers, status }: CallbackPage.CallbackPage) =>
  HttpServerResponse.text(body, { status, headers, contentType: headers["content-type"] })
