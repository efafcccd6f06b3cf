/** Which era of the protocol a server spoke last, as it is kept. */
import * as Schema from "effect/Schema"

export const Verdict = Schema.Struct({
  /**
   * `sse` is the old one, over the transport of revision 2024-11-05 although the entry does not say so.
   */
  era: Schema.Literals(["legacy", "modern", "sse"]),
  /** Why it was judged so, for a person who wonders. */
  reason: Schema.String,
  at: Schema.DateTimeUtcFromString,
  /** The answer to `server/discover`; null for the old era. */
  discover: Schema.NullOr(Schema.JsonObject)
})

export type Verdict = typeof Verdict.Type

/** Those of a file, by a hash of their servers. */
export const VerdictFile = Schema.fromJsonString(Schema.Record(Schema.String, Verdict))
