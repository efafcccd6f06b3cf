/** The lines that a person typed into conversations: `history` in the state folder, for its owner alone. */
import { DataFolder } from "@boocode/chat-server/DataFolder"
import * as PrivateFile from "@boocode/chat-server/PrivateFile"
import type { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as References from "effect/References"
import type { DataLocation } from "../options/DataLocation.ts"

const MOST = 1000
const LONGEST = 4000

/** A file that cannot be read or written is no history, which is no reason to end a conversation. */
export const make = Effect.fnUntraced(function*(place: DataLocation) {
  const context = yield* Effect.context<Environment | FileSystem.FileSystem | Path.Path>()
  const path = yield* Path.Path
  const folder = DataFolder.layer(place).pipe(
    // The verb itself reports what is wrong with the folder.
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )
  const state = yield* Effect.orElseSucceed(
    Effect.provide(DataFolder.use((found) => Effect.succeed(found.state)), folder),
    () => null
  )
  if (state === null) return { lines: [], add: () => Effect.void }
  const file = path.join(state, "history")
  const kept = Effect.map(
    Effect.orElseSucceed(PrivateFile.read(file), () => null),
    (text) => (text ?? "").split("\n").filter((line) => line !== "")
  )
  return {
    lines: (yield* kept).toReversed(),
    add: Effect.fnUntraced(
      function*(line: string) {
        if (line === "" || /^\s|\n/.test(line) || line.length > LONGEST) return
        // Another terminal may have written in the meantime.
        const all = [...(yield* kept).filter((one) => one !== line), line].slice(-MOST)
        yield* Effect.ignore(PrivateFile.write(file, `${all.join("\n")}\n`))
      },
      Effect.provideContext(context)
    )
  }
})
