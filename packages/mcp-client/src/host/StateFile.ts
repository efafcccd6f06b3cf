/**
 * A JSON file that holds decisions: never half written, changed by one program at a time, and never taken for empty
 * when it cannot be used.
 */
import { EditLock } from "@boocode/mcp-config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"

/** The file cannot be read, understood or written. */
export class StateFileError extends Data.TaggedError("StateFileError")<{
  readonly file: string
  readonly detail: string
}> {
  override get message() {
    return `${this.file} ${this.detail}`
  }
}

/** The content of the file; null when there is none. */
export type Content<A> = Result.Result<A | null, StateFileError>

/** A file of this kind. */
export interface StateFile<A> {
  /** Takes 10 s at most. */
  readonly read: Effect.Effect<Content<A>>
  /**
   * Writes the content that `next` makes of the old one; null leaves the file alone. It may be asked more than once.
   * Content that could not be used is kept beside the file as `NAME.unusable`. Waits at most 15 s for another program
   * that is writing it.
   */
  readonly change: (next: (content: Content<A>) => A | null) => Effect.Effect<void, StateFileError>
}

/** Somebody else took this writer for dead, which may happen when the machine slept; so it begins again. */
const ATTEMPTS = 5
const PATIENCE = "10 seconds"

/** Makes one of a path and what stands in it. The file is readable by its owner alone. */
export const make = Effect.fnUntraced(function*<A, I>(file: string, schema: Schema.Codec<A, I>) {
  const needs = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const turn = yield* Semaphore.make(1)
  const decode = Schema.decodeEffect(Schema.fromJsonString(schema))
  const encode = Schema.encodeEffect(schema)
  const problem = (detail: string) => new StateFileError({ file, detail })

  const read: StateFile<A>["read"] = fs.readFileString(file).pipe(
    Effect.flatMap((text) =>
      Effect.mapError(decode(text), () => problem("is damaged: it is not what was written there"))
    ),
    Effect.catchTag("PlatformError", (error) =>
      error.reason._tag === "NotFound"
        ? Effect.succeed(null)
        : Effect.fail(problem(`cannot be read: ${error.message}`))),
    // No decision waits for ever, and what is not known counts as a file that cannot be used.
    Effect.timeoutOrElse({
      duration: PATIENCE,
      orElse: () => Effect.fail(problem(`could not be read within ${PATIENCE}`))
    }),
    Effect.result
  )
  const write = Effect.fnUntraced(function*(draft: string, next: (content: Content<A>) => A | null) {
    const content = yield* read
    const value = next(content)
    if (value === null) return
    yield* fs.writeFileString(draft, `${JSON.stringify(yield* encode(value), null, 2)}\n`, { flag: "r+" })
    // A copy: between two renamings there would be no file, and a reader takes that for an empty one.
    if (Result.isFailure(content)) yield* Effect.ignore(fs.copyFile(file, `${file}.unusable`))
    yield* fs.rename(draft, file)
  })
  const change = Effect.fnUntraced(
    function*(next: (content: Content<A>) => A | null) {
      // A change that writes nothing needs no lock, and no folder.
      if (next(yield* read) === null) return
      yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
      yield* EditLock.withLock(file, (draft) => write(draft, next)).pipe(
        Effect.retry({
          times: ATTEMPTS,
          while: (error) => error._tag === "PlatformError" && error.reason._tag === "NotFound"
        })
      )
    },
    Effect.mapError((error) =>
      problem(
        error._tag === "Busy"
          ? `is being written by another program; if there is none, remove ${error.lock}`
          : `cannot be written: ${error.message}`
      )
    )
  )
  return {
    read,
    change: (next) => turn.withPermit(Effect.provideContext(change(next), needs))
  } satisfies StateFile<A>
})
