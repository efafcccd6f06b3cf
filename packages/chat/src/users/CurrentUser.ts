/** For whom something happens. What reads or changes a person's chats asks for it, so that leaving it out is a type error. */
import * as Context from "effect/Context"
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

/** The person of this request, command or turn. */
export class CurrentUser extends Context.Service<CurrentUser, User>()("chat/CurrentUser") {}
