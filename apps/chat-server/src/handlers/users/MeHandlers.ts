/** Answers about a person's own things: who they are, their password, their sessions and their tokens. */
import { CurrentUser } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Match from "effect/Match"
import * as Redacted from "effect/Redacted"
import { Access } from "../../access/Access.ts"
import { requester } from "../../access/Requester.ts"
import * as SessionCookie from "../../access/SessionCookie.ts"
import { UserSignIn } from "../../access/UserSignIn.ts"
import { ChatApi } from "../../api/ChatApi.ts"
import * as Problems from "../../api/Problems.ts"
import * as AccessGuard from "../../http/AccessGuard.ts"
import type { NotYours, UserRefused, UsersFailed } from "../../users/UserError.ts"
import { Users } from "../../users/Users.ts"
import { UserSecrets } from "../../users/UserSecrets.ts"
import { UserSessions } from "../../users/UserSessions.ts"
import { UserTokens } from "../../users/UserTokens.ts"
import { fromSignIn } from "./SignInHandlers.ts"

const done = HttpServerResponse.empty({ status: 204 })

const fromOwn = Match.typeTags<NotYours | UsersFailed>()({
  NotYours: Problems.notFound,
  UsersFailed: Problems.fromStore
})

const fromNew = Match.typeTags<UserRefused | UsersFailed>()({
  UserRefused: Problems.badRequest,
  UsersFailed: Problems.fromStore
})

export const layer = HttpApiBuilder.group(
  ChatApi,
  "me",
  Effect.fnUntraced(function*(handlers) {
    const access = yield* Access
    const signIn = yield* UserSignIn
    const users = yield* Users
    const sessions = yield* UserSessions
    const tokens = yield* UserTokens
    const secrets = yield* UserSecrets
    return handlers.handleAll({
      get: Effect.fnUntraced(function*() {
        const by = yield* requester
        return { users: yield* access.hasUsers, user: by.user, admin: AccessGuard.mayAsAdmin(by) }
      }, Effect.mapError(Problems.fromStore)),
      password: Effect.fnUntraced(function*({ payload: { before, password }, request }) {
        const user = yield* CurrentUser
        if (!SessionCookie.isSafe(request)) return yield* new SessionCookie.InsecureSignIn()
        yield* signIn.check(user.name, before)
        yield* users.setPassword(user.id, password)
        return yield* signIn.begin(request, user, done)
      }, Effect.mapError(fromSignIn)),
      sessions: Effect.fnUntraced(function*() {
        const { session, user } = yield* requester
        const all = yield* sessions.all(user.id)
        return { sessions: all.map((one) => ({ ...one, current: one.id === session })) }
      }, Effect.mapError(Problems.fromStore)),
      endSession: ({ params: { id } }) =>
        Effect.flatMap(CurrentUser, (user) => Effect.mapError(sessions.end(user.id, id), fromOwn)),
      tokens: Effect.fnUntraced(function*() {
        return { tokens: yield* tokens.all((yield* CurrentUser).id) }
      }, Effect.mapError(Problems.fromStore)),
      addToken: Effect.fnUntraced(function*({ payload: { name, scopes } }) {
        const { secret, token } = yield* tokens.add((yield* CurrentUser).id, name, [...new Set(scopes)])
        return { ...token, token: Redacted.value(secret) }
      }, Effect.mapError(fromNew)),
      removeToken: ({ params: { id } }) =>
        Effect.flatMap(CurrentUser, (user) => Effect.mapError(tokens.remove(user.id, id), fromOwn)),
      secrets: Effect.fnUntraced(function*() {
        return { secrets: yield* secrets.all((yield* CurrentUser).id) }
      }, Effect.mapError(Problems.fromStore)),
      setSecret: ({ params: { name }, payload: { value } }) =>
        Effect.flatMap(CurrentUser, (user) => Effect.mapError(secrets.set(user.id, name, value), fromNew)),
      removeSecret: ({ params: { name } }) =>
        Effect.flatMap(CurrentUser, (user) => Effect.mapError(secrets.remove(user.id, name), fromOwn))
    })
  })
)
