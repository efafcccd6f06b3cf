/** Files of the state folder that nobody else on this machine may read. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
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
