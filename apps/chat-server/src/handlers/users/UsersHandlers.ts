/** The people of this server, for its admins. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Match from "effect/Match"
import * as Redacted from "effect/Redacted"
import { ChatApi } from "../../api/ChatApi.ts"
import * as Problems from "../../api/Problems.ts"
import type { UnknownUser, UserRefused, UsersFailed } from "../../users/UserError.ts"
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

const shown = ({ token, until, user }: Invited) => ({ user, token: Redacted.value(token), until })

export const layer = HttpApiBuilder.group(
  ChatApi,
  "users",
  Effect.fnUntraced(function*(handlers) {
    const users = yield* Users
    return handlers.handleAll({
      list: () => Effect.mapBoth(users.all, { onSuccess: (all) => ({ users: all }), onFailure: Problems.fromStore }),
      add: ({ payload: { groups = [], name, role = "member" } }) =>
        Effect.mapBoth(users.add({ name, role, groups }), {
          onSuccess: shown,
          onFailure: (error) => error._tag === "UserRefused" ? Problems.badRequest(error) : Problems.fromStore(error)
        }),
      change: ({ params: { name }, payload }) => Effect.mapError(users.change(name, payload), problem),
      remove: ({ params: { name } }) => Effect.asVoid(Effect.mapError(users.remove(name), problem)),
      invite: ({ params: { name } }) => Effect.mapBoth(users.invite(name), { onSuccess: shown, onFailure: fromInvite })
    })
  })
)
