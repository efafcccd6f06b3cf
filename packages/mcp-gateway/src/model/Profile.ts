/** The profile of a gateway: which tools it offers to a client, in which form, and whether they may write. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The tools that a client sees and may call. Each key that is left out has the value of `standard`.
 *
 * @category model
 */
export const Profile = Schema.Struct({
  /** Patterns of `@boocode/tool-glob` for the names `<server>_<tool>`. `<server>_resources` stands for prompts and resources. */
  tools: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(["*"]))),
  /** All tools by their names, a search and tools that call, or what suits the client. */
  exposure: Schema.Literals(["auto", "flat", "search", "code"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("auto" as const))
  ),
  /** Names with the server in front, or as the servers give them. */
  names: Schema.Literals(["prefixed", "bare"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("prefixed" as const))
  ),
  /** No tool that writes, each call of one after a yes, or what the rules say. */
  write: Schema.Literals(["off", "ask", "rules"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("ask" as const))),
  /** How many bytes of a result the client is given at once; 0 leaves it to what is known of the client. */
  maxResultBytes: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(0))
  )
})

/**
 * The tools that a client sees and may call.
 *
 * @category model
 */
export type Profile = typeof Profile.Type

/**
 * Every tool, in the form that suits the client; each call of a tool that writes needs a yes.
 *
 * @category model
 */
export const standard: Profile = { tools: ["*"], exposure: "auto", names: "prefixed", write: "ask", maxResultBytes: 0 }
