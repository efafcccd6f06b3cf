/** Signing in: with name and password, and by an invitation. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Match from "effect/Match"
import { Access } from "../../access/Access.ts"
import { IdentityProvider } from "../../access/IdentityProvider.ts"
import * as SessionCookie from "../../access/SessionCookie.ts"
import { type TooManyPasswords, UserSignIn, type WrongPassword } from "../../access/UserSignIn.ts"
import { ChatApi } from "../../api/ChatApi.ts"
import * as Problems from "../../api/Problems.ts"
import { InvitationEnded, type UsersFailed } from "../../users/UserError.ts"
import { Users } from "../../users/Users.ts"

const done = HttpServerResponse.empty({ status: 204 })

/** Somebody is not signed in. */
export const fromSignIn = Match.typeTags<
  WrongPassword | TooManyPasswords | SessionCookie.InsecureSignIn | UsersFailed
>()({
  WrongPassword: Problems.unauthorized,
  TooManyPasswords: Problems.tooMany,
  InsecureSignIn: Problems.forbidden,
  UsersFailed: Problems.fromStore
})

export const layer = HttpApiBuilder.group(
  ChatApi,
  "signIn",
  Effect.fnUntraced(function*(handlers) {
    const access = yield* Access
    const signIn = yield* UserSignIn
    const users = yield* Users
    const { signIn: signedInBy } = yield* IdentityProvider
    return handlers.handleAll({
      ways: Effect.fnUntraced(
        function*({ request }) {
          const areThere = yield* access.hasUsers
          return {
            users: areThere,
            signedIn: (yield* access.known(request)) !== null,
            provider: signedInBy?.label ?? null,
            token: !access.isOpen,
            safe: SessionCookie.isSafe(request)
          }
        },
        Effect.mapError(Problems.fromStore)
      ),
      signIn: Effect.fnUntraced(function*({ payload: { name, password }, request }) {
        if (!SessionCookie.isSafe(request)) return yield* new SessionCookie.InsecureSignIn()
        return yield* signIn.begin(request, yield* signIn.check(name, password), done)
      }, Effect.mapError(fromSignIn)),
      invitation: Effect.fnUntraced(
        function*({ params: { token } }) {
          const found = yield* users.invitation(token)
          return found === null ? yield* new InvitationEnded() : { name: found.user.name, until: found.until }
        },
        Effect.mapError((error) => error._tag === "UsersFailed" ? Problems.fromStore(error) : Problems.notFound(error))
      ),
      accept: Effect.fnUntraced(
        function*({ params: { token }, payload: { password }, request }) {
          if (!SessionCookie.isSafe(request)) return yield* new SessionCookie.InsecureSignIn()
          return yield* signIn.begin(request, yield* signIn.accept(token, password), done)
        },
        Effect.mapError((error) => error._tag === "InvitationEnded" ? Problems.notFound(error) : fromSignIn(error))
      )
    })
  })
)
