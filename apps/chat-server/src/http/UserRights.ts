/** Gives each route of the API its person, when their role and their token let them use it. */
import { CurrentUser, FIRST } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RequestedBy, type Requester } from "../access/Requester.ts"
import { KnowsUser } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import * as Rights from "../api/users/Rights.ts"
import * as AccessGuard from "./AccessGuard.ts"

export const layer = Layer.succeed(
  KnowsUser,
  (httpEffect, { endpoint, group }) =>
    Effect.flatMap(RequestedBy, (requester) => {
      const right = Rights.rightOf(group.identifier, endpoint.identifier)
      // Nothing of anybody's is behind such a route.
      if (right === "everyone") return Effect.provideService(httpEffect, CurrentUser, requester?.user ?? FIRST)
      if (requester === null) return Effect.die(new Error(`${endpoint.path} is not guarded`))
      const refusal = refusalOf(right, requester)
      return refusal === null
        ? Effect.provideService(httpEffect, CurrentUser, requester.user)
        : Effect.succeed(Problems.response(403, refusal))
    })
)

const refusalOf = (right: Rights.Right, requester: Requester) => {
  const { scopes } = requester
  if (right === "admin") return AccessGuard.mayAsAdmin(requester) ? null : AccessGuard.ADMINS_ONLY
  if (scopes === null) return null
  if (right === "own") return OWN
  return AccessGuard.mayChat(requester) ? null : AccessGuard.NOT_FOR_CHATS
}

const OWN = {
  _tag: "NotByToken",
  message: "a token cannot change how its owner signs in",
  hint: "do this at the page, where you are signed in yourself"
}
