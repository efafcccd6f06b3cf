/** How a command says that it failed: on standard error for people, as one JSON document with `--json`. */
import * as Effect from "effect/Effect"
import { Ended, Failed, type Usage } from "./Failure.ts"
import { Output } from "./Output.ts"
import { oneLine, plain } from "./PlainText.ts"

/** Runs a command, says why it failed, and ends with the exit code that belongs to the failure. */
export const reported = <R>(
  json: boolean,
  command: Effect.Effect<void, Failed | Usage | Ended, R>
): Effect.Effect<void, Ended, R | Output> =>
  command.pipe(
    Effect.catchDefect((defect) =>
      Effect.logDebug("unexpected", defect).pipe(Effect.andThen(Effect.fail(unexpected(defect))))
    ),
    Effect.catchTags({
      Failed: (error) => Effect.andThen(json ? document(error) : words(error), new Ended({ code: 1 })),
      Usage: (error) => Effect.andThen(words(error), new Ended({ code: 2 }))
    })
  )

const unexpected = (defect: unknown): Failed =>
  new Failed({
    tag: "Unexpected",
    message: oneLine(defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect), 500),
    hint: "this is a fault of boocode; run it again with --log-level debug and report what it prints"
  })

const document = (error: Failed) =>
  Output.use((output) => output.document({ error: { _tag: error.tag, message: error.message, hint: error.hint } }))

const words = (error: Failed | Usage) =>
  Output.use((output) =>
    output.notes([
      `${output.notePaint.bad("error")}  ${plain(error.message)}`,
      `       ${output.notePaint.dim(plain(error.hint))}`
    ])
  )
