/** What ends a command early: the thing asked for failed (exit 1), it was asked for wrongly (exit 2), or it was stopped. */
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

/** The thing asked for failed. `tag` is what `--json` prints as `_tag`. */
export class Failed extends Schema.TaggedError<Failed>()("Failed", {
  tag: Schema.String,
  message: Schema.String,
  hint: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 1
  override readonly [Runtime.errorReported] = false
}

/** The command line cannot be understood. */
export class Usage extends Schema.TaggedError<Usage>()("Usage", {
  message: Schema.String,
  hint: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override readonly [Runtime.errorReported] = false
}

/** Ends with an exit code after everything worth saying was said. */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { code: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

/** What every error of the house has; those of Effect have no hint. */
interface Told {
  readonly _tag: string
  readonly message: string
  readonly hint?: string
  readonly reason?: unknown
}

/** Turns an error of a service into what a person or script is told; the wrapper of MCP errors gives way to its reason. */
export const failed = (error: Told): Failed =>
  new Failed({
    tag: error._tag === "McpError" && isTold(error.reason) ? error.reason._tag : error._tag,
    message: error.message,
    hint: error.hint ?? "check that the files and folders named here exist and may be used"
  })

const isTold = (value: unknown): value is Told => Predicate.hasProperty(value, "_tag") && typeof value._tag === "string"
