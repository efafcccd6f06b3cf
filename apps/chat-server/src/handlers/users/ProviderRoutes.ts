/** `/oauth/sign-in`: to the identity provider and back. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { CALLBACK, IdentityProvider, PATH, type ProviderSignIn } from "../../access/IdentityProvider.ts"
import * as SessionCookie from "../../access/SessionCookie.ts"
import { UserSignIn } from "../../access/UserSignIn.ts"
import * as LoginCallback from "../../services/LoginCallback.ts"
import { Settings } from "../../settings/Settings.ts"

type Request = HttpServerRequest.HttpServerRequest

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { signIn: provider } = yield* IdentityProvider
  if (provider === null) return
  const { publicUrl } = yield* Settings
  const { begin } = yield* UserSignIn
  const originOf = (request: Request): string =>
    publicUrl ?? `${SessionCookie.isHttps(request) ? "https" : "http"}://${request.headers["host"] ?? ""}`
  yield* router.add("GET", PATH, guarded((request) => leaving(provider, originOf(request), request)))
  yield* router.add(
    "GET",
    CALLBACK,
    guarded(Effect.fnUntraced(function*(request) {
      const begun = SessionCookie.begun(request)
      if (begun === null) return page(LoginCallback.unknown)
      const at = request.url.indexOf("?")
      const user = yield* provider.finish(originOf(request), at < 0 ? "" : request.url.slice(at), begun)
      return SessionCookie.withoutBegun(yield* begin(request, user, to("/")))
    }))
  )
}))

/** A HEAD that looks ahead begins and ends nothing. */
const guarded = <E extends { readonly message: string; readonly hint: string }, R>(
  answer: (request: Request) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    if (request.method !== "GET") return Effect.succeed(page(LoginCallback.unknown))
    if (!SessionCookie.isSafe(request)) return Effect.succeed(refused(new SessionCookie.InsecureSignIn()))
    return Effect.catch(answer(request), (error) =>
      Effect.as(Effect.logWarning(`a sign-in failed: ${error.message}`), refused(error)))
  })

const leaving = Effect.fnUntraced(function*(provider: ProviderSignIn, origin: string, request: Request) {
  const { begun, url } = yield* provider.begin(origin)
  return SessionCookie.withBegun(request, to(url), begun)
})

const to = (url: string) => HttpServerResponse.redirect(url, { status: 303, headers: { "cache-control": "no-store" } })

const refused = ({ hint, message }: { readonly message: string; readonly hint: string }) =>
  page(LoginCallback.makePage(403, "Not signed in", sentence(message), sentence(hint)))

const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`

const page = ({ body, headers, status }: LoginCallback.CallbackPage) =>
  HttpServerResponse.text(body, { status, headers, contentType: headers["content-type"] })
