/** The people of this server, for its admins. */
import { Chats, ToolApprovals, Undos, type User } from "@boocode/chat"
import { McpRegistries } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Match from "effect/Match"
import * as SessionCookie from "../../access/SessionCookie.ts"
import { ChatApi } from "../../api/ChatApi.ts"
import * as Problems from "../../api/Problems.ts"
import * as ClientCaller from "../../clients/ClientCaller.ts"
import { ClientGateway } from "../../clients/ClientGateway.ts"
import { ClientTokens } from "../../clients/ClientTokens.ts"
import * as ConnectorCaller from "../../connectors/ConnectorCaller.ts"
import { Connectors } from "../../connectors/Connectors.ts"
import { Settings } from "../../settings/Settings.ts"
import { AuditCalls } from "../../team/AuditCalls.ts"
import { UsageDays } from "../../team/UsageDays.ts"
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
    const tokens = yield* ClientTokens
    const gateway = yield* ClientGateway
    const { service: connectors } = yield* Connectors
    /** Their tokens let nobody in any more, whether the file can be written or not. */
    const endClientsOf = Effect.fnUntraced(function*(user: User) {
      const theirs = (yield* tokens.all).filter(({ owner }) => owner === user.id)
      const ids = new Set([ClientCaller.personOf(user), ...theirs.map(ClientCaller.idOf)])
      yield* Effect.catch(tokens.forget(user.id), ({ message }) => Effect.logWarning(message))
      yield* connectors?.remove(({ owner }) => owner === user.id) ?? Effect.void
      const letIn = ConnectorCaller.idsOf(user.id)
      const connected = (yield* gateway.clients).filter(({ caller: { id } }) => ids.has(id) || id.startsWith(letIn))
      yield* Effect.forEach(connected, ({ id }) => gateway.end(id), { discard: true })
    })
    const chats = yield* Chats
    const approvals = yield* ToolApprovals
    const undos = yield* Undos
    const usage = yield* UsageDays
    const registries = yield* McpRegistries
    const calls = yield* AuditCalls
    const forget = (user: User) =>
      Effect.all(
        [
          chats.forget(user.id),
          approvals.forget(user.id),
          undos.forget(user.id),
          usage.forget(user.id),
          registries.forget(user.id),
          calls.forget(user.id)
        ],
        { discard: true }
      ).pipe(
        Effect.catch(({ message }) => Effect.logWarning(`not all of ${user.id} could be removed: ${message}`))
      )
    return handlers.handleAll({
      list: () => Effect.mapBoth(users.all, { onSuccess: (all) => ({ users: all }), onFailure: Problems.fromStore }),
      add: ({ payload: { groups = [], name, role = "member" }, request }) =>
        Effect.mapBoth(users.add({ name, role, groups }), {
          onSuccess: shown(request),
          onFailure: (error) => error._tag === "UserRefused" ? Problems.badRequest(error) : Problems.fromStore(error)
        }),
      change: ({ params: { name }, payload }) => Effect.mapError(users.change(name, payload), problem),
      remove: Effect.fnUntraced(function*({ params: { name } }) {
        const user = yield* Effect.mapError(users.remove(name), problem)
        yield* endClientsOf(user)
        yield* forget(user)
      }),
      invite: ({ params: { name }, request }) =>
        Effect.mapBoth(users.invite(name), { onSuccess: shown(request), onFailure: fromInvite })
    })
  })
)
