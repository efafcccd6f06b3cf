/**
 * How a command ends early: it failed (exit 1), its command line was wrong (exit 2), or it was stopped. All failures are
 * shown here: what happened, where it did, what to do.
 */
import { ErrorPlace } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { width } from "./Layout.ts"
import { oneLine, Output, type Paint, plain } from "./Output.ts"

/** Where something failed: `ErrorPlace`. */
export const Where = Schema.Struct({
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Finite),
  column: Schema.optionalKey(Schema.Finite),
  key: Schema.optionalKey(Schema.String),
  server: Schema.optionalKey(Schema.String)
})

/** `tag` is what `--json` prints as `_tag`. */
export class Failed extends Schema.TaggedError<Failed>()("Failed", {
  tag: Schema.String,
  message: Schema.String,
  hint: Schema.String,
  where: Schema.optionalKey(Schema.NullOr(Where))
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

/** Ends with an exit code and prints nothing more. */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { code: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

/** Every error of BooCode has a hint; those of Effect have none. */
interface Told {
  readonly _tag: string
  readonly message: string
  readonly hint?: string
  readonly reason?: unknown
}

/** An error of a service as a failure of the command. An `McpError` gives the tag of its reason. */
export const failed = (error: Told): Failed =>
  new Failed({
    tag: error._tag === "McpError" && isTold(error.reason) ? error.reason._tag : error._tag,
    message: error.message,
    hint: error.hint ?? "check that the files and folders named here exist and may be used",
    where: ErrorPlace.of(error)
  })

/** The failure with better advice. */
export const withHint = (error: Failed, hint: string): Failed =>
  new Failed({ tag: error.tag, message: error.message, hint, where: error.where ?? null })

const isTold = (value: unknown): value is Told => Predicate.hasProperty(value, "_tag") && typeof value._tag === "string"

/**
 * Runs a command and ends with the exit code of its failure, which is told on standard error, or with `--json` as one
 * document on standard output.
 */
export const reported = <R>(
  json: boolean,
  command: Effect.Effect<void, Failed | Usage | Ended, R>
): Effect.Effect<void, Ended, R | Output> =>
  command.pipe(
    Effect.catchDefect((defect) =>
      Effect.logDebug("unexpected", defect).pipe(Effect.andThen(Effect.fail(unexpected(defect))))
    ),
    Effect.catchTags({
      Failed: (error) => Effect.andThen(json ? document(error) : printed(error), new Ended({ code: 1 })),
      Usage: (error) => Effect.andThen(printed(error), new Ended({ code: 2 }))
    })
  )

const unexpected = (defect: unknown): Failed =>
  new Failed({
    tag: "Unexpected",
    message: oneLine(defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect), 500),
    hint: "this is a fault of boocode; run it again with --log-level debug and report what it prints"
  })

const document = ({ hint, message, tag, where }: Failed) =>
  Output.use((output) =>
    output.document({
      error: { _tag: tag, message, hint, ...(where === undefined || where === null ? {} : { where }) }
    })
  )

interface Shown {
  readonly message: string
  readonly hint: string
  readonly where?: ErrorPlace.ErrorPlace | null | undefined
}

/** The event, then its place as far as the message does not say it, then the advice. */
export const errorLines = (error: Shown, paint: Paint): ReadonlyArray<string> => shown(error, paint.bad("error"), paint)

const shown = ({ hint, message, where }: Shown, word: string, paint: Paint): ReadonlyArray<string> => {
  const lead = " ".repeat(width(word) + 2)
  const place = where === undefined || where === null ? [] : ErrorPlace.words(where, message)
  return [
    `${word}  ${plain(message)}`,
    ...(place.length === 0 ? [] : [`${lead}in ${plain(place.join(", "))}`]),
    `${lead}${paint.dim(paint.typed(plain(hint)))}`
  ]
}

export const printed = (error: Shown) => Output.use(({ notePaint, notes }) => notes(errorLines(error, notePaint)))

/** Troubles that do not end the command. */
export const warned = (problems: ReadonlyArray<Shown>) =>
  Output.use(({ notePaint, notes }) =>
    notes(
      problems.flatMap(({ hint, message }) =>
        shown({ message: oneLine(message, 400), hint: oneLine(hint, 400) }, notePaint.careful("warning"), notePaint)
      )
    )
  )
