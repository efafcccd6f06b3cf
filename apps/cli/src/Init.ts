/** `init`: writes a data folder. What is there already stays as it is. */
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import { CHECKOUT } from "./Connected.ts"
import { Failed } from "./Failure.ts"
import { FILES } from "./InitFiles.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { plain } from "./PlainText.ts"

const DEFAULT_FOLDER = "data"

/** `folder` goes before `--data`; without both it is `data` where the person stands. */
export const init = Effect.fnUntraced(function*(options: Options, folder: string | null) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const given = folder ?? options.data ?? DEFAULT_FOLDER
  const root = path.resolve(variables["INIT_CWD"] ?? "", given)
  const written: Array<string> = []
  const kept: Array<string> = []
  for (const [name, text] of Object.entries(FILES)) {
    const isNew = yield* Effect.mapError(write(path.join(root, name), text), (error) => unwritable(root, error))
    ;(isNew ? written : kept).push(name)
  }
  yield* told(options, { root, given, written, kept })
})

/** Gives whether it was not there. Only a file that is made by this is written to. */
const write = Effect.fnUntraced(function*(file: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* fs.makeDirectory(path.dirname(file), { recursive: true })
  return yield* fs.writeFileString(file, text, { flag: "wx" }).pipe(
    Effect.as(true),
    Effect.catchReason("PlatformError", "AlreadyExists", () => Effect.succeed(false))
  )
})

const unwritable = (root: string, error: PlatformError.PlatformError): Failed =>
  new Failed({
    tag: "CannotWrite",
    message: `${root} cannot be made a data folder: ${error.message}`,
    hint: "name a folder that you may write to: boocode init DIR"
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
    `${paint.dim("next:")} ${yield* command} serve --data ${quoted(given)}`
  ])
})

/** In a checkout there is no `boocode` on the path, as README has it. */
const command = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const isCheckout = yield* Effect.orElseSucceed(fs.exists(path.join(CHECKOUT, "pnpm-workspace.yaml")), () => false)
  return isCheckout ? "npx -y pnpm@12 boocode" : "boocode"
})

const quoted = (word: string): string => /^[\w./~-]+$/.test(word) ? word : `'${plain(word).replaceAll("'", "'\\''")}'`
