/** `init`: writes a data folder. Existing files stay as they are. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { currentFolder } from "../options/DataLocation.ts"
import { optionalArgument, type Options, verb } from "../options/Options.ts"
import { failed } from "../terminal/Failure.ts"
import { Output, plain } from "../terminal/Output.ts"

const DEFAULT_FOLDER = "data"

export const init = Command.make(
  "init",
  { folder: optionalArgument(Argument.String("DIR").pipe(Argument.withDescription("Where; by default ./data"))) },
  ({ folder }) => verb((options) => initialized(options, folder))
).pipe(Command.withDescription("Write a data folder to begin with; existing files stay as they are"))

/** The argument wins over `--data`. */
const initialized = Effect.fnUntraced(function*(options: Options, folder: string | null) {
  const path = yield* Path.Path
  const given = folder ?? options.data ?? DEFAULT_FOLDER
  const root = path.resolve(yield* currentFolder, given)
  const { write } = yield* Effect.promise(() => import("@boocode/chat-server/NewDataFolder"))
  yield* told(options, { root, given, ...yield* Effect.mapError(write(root), failed) })
})

interface Outcome {
  readonly root: string
  /** As the person named it. */
  readonly given: string
  readonly written: ReadonlyArray<string>
  readonly kept: ReadonlyArray<string>
}

const told = Effect.fnUntraced(function*(options: Options, { given, kept, root, written }: Outcome) {
  const { document, lines, paint } = yield* Output
  if (options.json) return yield* document({ folder: root, written, kept })
  yield* lines([
    `${paint.bold(plain(root))}`,
    ...written.map((name) => `  ${paint.good("written")}  ${name}`),
    ...kept.map((name) => `  ${paint.dim("kept")}     ${name}`),
    paint.typed(`${paint.dim("next:")} boocode serve --data ${quoted(given)}`)
  ])
})

const quoted = (word: string): string => /^[\w./~-]+$/.test(word) ? word : `'${plain(word).replaceAll("'", "'\\''")}'`
