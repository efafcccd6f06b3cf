/** The failures of people's accounts. */
import { Nearest } from "@boocode/mcp-config"
import * as Schema from "effect/Schema"
import { TOLD } from "../settings/ToldWords.ts"

/** The database does not answer, so nobody can be told from anybody. */
export class UsersFailed extends Schema.TaggedError<UsersFailed>()("UsersFailed", {
  operation: Schema.String,
  why: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return `the people of this server cannot be kept or read (${this.operation}): ${this.why}`
  }
  readonly hint: string = "see that the database is there and its disk is not full, then try again"
}

/** Nobody has this name. */
export class UnknownUser extends Schema.TaggedError<UnknownUser>()("UnknownUser", {
  name: Schema.String,
  nearest: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `nobody is called ${this.name} here`
  }
  get hint(): string {
    const [near] = this.nearest
    return near === undefined ? "boocode users list shows who there is" : `did you mean ${near}?`
  }
}

export const unknownUser = (name: string, names: ReadonlyArray<string>): UnknownUser =>
  new UnknownUser({ name, nearest: Nearest.nearest(name, names) })

/** A person cannot be added or changed so. Nothing was. */
export class UserRefused extends Schema.TaggedError<UserRefused>()("UserRefused", TOLD) {}

/** There is no session or token with this id. */
export class NotYours extends Schema.TaggedError<NotYours>()("NotYours", TOLD) {}

/** An invitation that was used, ended or never made. */
export class InvitationEnded extends Schema.TaggedError<InvitationEnded>()("InvitationEnded", {}) {
  override readonly message: string = "this invitation was used already, is older than 7 days, or was replaced"
  readonly hint: string = "ask an admin for a new one: boocode users invite NAME"
}
