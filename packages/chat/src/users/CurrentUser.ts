/**
 * The person that something happens for. Code that reads or changes a person's chats asks for it, so that leaving it
 * out is a type error.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A person who uses this server. */
export const User = Schema.Struct({
  /** Never another's, also after this one is gone. */
  id: Schema.String,
  name: Schema.String,
  /** An admin changes what holds for everyone; a member changes what is their own. */
  role: Schema.Literals(["admin", "member"]),
  /** The groups that they are in, sorted. */
  groups: Schema.Array(Schema.String)
})
export type User = typeof User.Type

/** The one person of a server without users. The first admin takes this id, and so the chats that are there. */
export const FIRST: User = { id: "first", name: "", role: "admin", groups: [] }

/** Whether somebody is the one person of a server without users, for whom everything is. */
export const isAlone = ({ id, name }: User): boolean => id === FIRST.id && name === FIRST.name

/** The person of this request, command or turn. */
export class CurrentUser extends Context.Service<CurrentUser, User>()("chat/CurrentUser") {}

/** Tells who a person is, by the id that their chats have: for work that the program does for them without a request. */
export class People extends Context.Reference<{
  /** A person that nothing is known about is a member of no group. */
  readonly get: (id: string) => Effect.Effect<User>
}>("chat/People", { defaultValue: () => ({ get: (id) => Effect.succeed(byId(id)) }) }) {}

/** A person whose id alone is known. */
export const byId = (id: string): User => id === FIRST.id ? FIRST : { id, name: "", role: "member", groups: [] }

/** Runs for the person who owns something. */
export const asOwner = <A, E, R>(
  owner: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, CurrentUser>> =>
  Effect.flatMap(
    People,
    ({ get }) => Effect.flatMap(get(owner), (user) => Effect.provideService(effect, CurrentUser, user))
  )
