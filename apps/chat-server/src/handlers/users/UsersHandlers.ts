/** The people of this server, for its admins. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Match from "effect/Match"
import * as SessionCookie from "../../access/SessionCookie.ts"
import { ChatApi } from "../../api/ChatApi.ts"
import * as Problems from "../../api/Problems.ts"
import { Settings } from "../../settings/Settings.ts"
import type { UnknownUser, UserRefused, UsersFailed } from "../../users/UserError.ts"
import * as UserInvitation from "../../users/UserInvitation.ts"
import { type Invited, Users } from "../../users/Users.ts"

const problem = Match.typeTags<UnknownUser | UserRefused | UsersFailed>()({
  UnknownUser: Problems.notFound,
  UserRefused: Problems.notChanged,
  UsersFailed: Problems.fromStore
})

const fromInvite = Match.typeTags<UnknownUser | UsersFailed>()({
  UnknownUser: Problems.notFound,
  UsersFailed: Problems.fromStore
})

/** The page at the address that others reach it by, as far as that is known. */
const shownAt = (publicUrl: string | null) => (request: HttpServerRequest.HttpServerRequest) => {
  const scheme = SessionCookie.isHttps(request) ? "https" : "http"
  return (invited: Invited) =>
    UserInvitation.shown(publicUrl ?? `${scheme}://${request.headers["host"] ?? ""}`, invited)
}

export const layer = HttpApiBuilder.group(
  ChatApi,
  "users",
  Effect.fnUntraced(function*(handlers) {
    const users = yield* Users
    const shown = shownAt((yield* Settings).publicUrl)
    return handlers.handleAll({
      list: () => Effect.mapBoth(users.all, { onSuccess: (all) => ({ users: all }), onFailure: Problems.fromStore }),
      add: ({ payload: { groups = [], name, role = "member" }, request }) =>
        Effect.mapBoth(users.add({ name, role, groups }), {
          onSuccess: shown(request),
          onFailure: (error) => error._tag === "UserRefused" ? Problems.badRequest(error) : Problems.fromStore(error)
        }),
      change: ({ params: { name }, payload }) => Effect.mapError(users.change(name, payload), problem),
      remove: ({ params: { name } }) => Effect.asVoid(Effect.mapError(users.remove(name), problem)),
      invite: ({ params: { name }, request }) =>
        Effect.mapBoth(users.invite(name), { onSuccess: shown(request), onFailure: fromInvite })
    })
  })
)
