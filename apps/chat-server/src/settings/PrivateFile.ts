/** Files of the state folder that nobody else on this machine may read. */
import { StateStorage } from "@boocode/mcp-client/StateStorage"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Semaphore from "effect/Semaphore"
import { pid } from "node:process"

/** Writes in one step, so that nobody reads half of it, and never into a file that somebody else made. */
export const write = Effect.fnUntraced(function*(target: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* fs.makeDirectory(path.dirname(target), { recursive: true, mode: 0o700 })
  const fresh = `${target}.${pid}`
  yield* Effect.ignore(fs.remove(fresh))
  yield* fs.writeFileString(fresh, text, { flag: "wx", mode: 0o600 })
  yield* Effect.onError(fs.rename(fresh, target), () => Effect.ignore(fs.remove(fresh)))
})

/** The text of a file; null for one that is not there. */
export const read = (file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(file)).pipe(
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(null))
  )

/** A text that cannot be read or written. */
export class NotKept extends Data.TaggedError("NotKept")<{ readonly message: string }> {}

/** A text that the nodes of a fleet have together, and that a single server has in a file of the state folder. */
export interface SharedText {
  /** Null for one that is not there. */
  readonly read: Effect.Effect<string | null, NotKept>
  /**
   * Writes the text that `next` gives beside its result; null leaves it as it is. Where another node came in between, `next`
   * is asked again.
   */
  readonly change: <A, E>(
    next: (text: string | null) => Effect.Effect<readonly [A, string | null], E>
  ) => Effect.Effect<A, E | NotKept>
}

const ATTEMPTS = 20

export const shared = Effect.fnUntraced(function*(
  file: string
): Effect.fn.Return<SharedText, never, FileSystem.FileSystem | Path.Path> {
  const storage = yield* StateStorage
  const name = storage?.nameOf(file) ?? null
  if (storage !== null && name !== null) {
    // The first node that has such a file brings it along.
    yield* Effect.ignore(
      Effect.flatMap(read(file), (text) => text === null ? Effect.void : storage.write(name, text, 0))
    )
    return together(storage, name)
  }
  const needs = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const turn = yield* Semaphore.make(1)
  const here = inWords(Effect.provideContext(read(file), needs))
  return {
    read: here,
    change: (next) =>
      Effect.gen(function*() {
        const [given, text] = yield* next(yield* here)
        if (text !== null) yield* inWords(Effect.provideContext(write(file, text), needs))
        return given
      }).pipe(turn.withPermit)
  }
})

const together = (storage: StateStorage, name: string): SharedText => ({
  read: inWords(Effect.map(storage.read(name), (kept) => kept?.text ?? null)),
  change: Effect.fnUntraced(function*(next) {
    for (let count = 0; count < ATTEMPTS; count++) {
      const before = yield* inWords(storage.read(name))
      const [given, text] = yield* next(before?.text ?? null)
      if (text === null || (yield* inWords(storage.write(name, text, before?.version ?? 0)))) return given
    }
    return yield* new NotKept({ message: `other nodes keep changing ${name}` })
  })
})

const inWords = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>) =>
  Effect.mapError(effect, ({ message }) => new NotKept({ message }))
