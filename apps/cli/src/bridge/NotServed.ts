/** Why a bridge has no server. It stands apart because a bridge loads little: there is one for each program of a person. */
import * as Data from "effect/Data"

export class NotServed extends Data.TaggedError("NotServed")<{
  readonly message: string
  readonly hint: string
}> {}
