/** The person who makes a request, as `AccessGuard` found out before any route saw it. */
import type { User } from "@boocode/chat"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Scope } from "../users/UserTokens.ts"

export interface Requester {
  readonly user: User
  /**
   * The scopes of their token; null for a person at the page and for commands of this machine, who may do all that is
   * theirs.
   */
  readonly scopes: ReadonlyArray<Scope> | null
  /** The id of their session; null without one. */
  readonly session: string | null
}

/** Null where nobody was asked who they are, as for the files of the page. */
export const RequestedBy = Context.Reference<Requester | null>("chat-server/RequestedBy", {
  defaultValue: () => null
})

/** A route that has not asked who makes its requests must not answer for anybody. */
export const requester: Effect.Effect<Requester> = Effect.flatMap(
  RequestedBy,
  (found) => found === null ? Effect.die(new Error("this route is not guarded")) : Effect.succeed(found)
)
