/** Entries that leave the file they stand in: the paths and commands in them lead where they led. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as RelativePath from "../entry/RelativePath.ts"
import { Environment } from "../model/Environment.ts"
import type { Declaration, HttpEntry, ServerEntry, StdioEntry } from "../model/ServerEntry.ts"
import type { Loss } from "../shapes/Shape.ts"
import type { Written } from "../text/Field.ts"
import { WORKSPACE } from "../text/Template.ts"

/** Where an entry stands. */
export interface From {
  /** Absolute. */
  readonly file: string
  /** Folders in which commands are looked for after PATH, here and nowhere else. */
  readonly searchAfterPath: ReadonlyArray<string>
}

/** An entry that holds elsewhere, and what had to change for that, or could not. */
export interface Departed {
  readonly entry: ServerEntry
  readonly losses: ReadonlyArray<Loss>
}

/**
 * The entry with absolute paths in place of those that start from the folder of its file: in `cwd`, `envFile` and
 * `roots`; in `command` and `args` those that begin with a dot, and arguments that are the name of something there. A
 * command that only this installation has becomes its path.
 */
export const leave = Effect.fnUntraced(function*(
  entry: ServerEntry,
  from: From
): Effect.fn.Return<Departed, never, FileSystem.FileSystem | Path.Path | Environment> {
  const { declaration } = entry
  if (Result.isFailure(declaration)) return { entry, losses: [] }
  const { options, transport } = declaration.success
  const folder = RelativePath.escaped((yield* Path.Path).dirname(from.file))
  const roots = Array.isArray(options.roots) ? options.roots.map((root) => absolute(root, folder)) : options.roots
  const moved = transport._tag === "stdio" ? yield* program(transport, folder, from) : transport
  const after: Declaration = { transport: moved, options: { ...options, roots } }
  return {
    entry: { ...entry, declaration: Result.succeed(after) },
    losses: losses(declaration.success, after, folder)
  }
})

const absolute = (written: Written, folder: string): Written =>
  RelativePath.isRelative(written.text) ? { ...written, text: RelativePath.below(folder, written.text) } : written

const program = Effect.fnUntraced(function*(stdio: StdioEntry, home: string, from: From) {
  const here = yield* inWorkspace
  const cwd = stdio.cwd === null ? null : absolute(here(stdio.cwd), home)
  const folder = cwd?.text ?? home
  return {
    ...stdio,
    cwd,
    envFile: stdio.envFile === null ? null : absolute(stdio.envFile, home),
    command: yield* command(stdio.command, folder, from),
    env: stdio.env.map(([name, written]) => [name, here(written)] as const),
    args: yield* Effect.forEach(stdio.args, (arg) => argument(here(arg), folder))
  }
})

/** No other application has such a folder, so its path takes the place of its name. */
const inWorkspace = Effect.map(
  Environment,
  ({ variables: { workspace } }) => (written: Written): Written =>
    workspace === undefined
      ? written
      : { ...written, text: written.text.replaceAll(`\${${WORKSPACE}}`, () => RelativePath.escaped(workspace)) }
)

const argument = Effect.fnUntraced(function*(arg: Written, folder: string) {
  if (RelativePath.isNear(arg.text)) return absolute(arg, folder)
  const isWord = RelativePath.isRelative(arg.text) && !/^-|:\/\//.test(arg.text)
  return isWord && (yield* isThere(RelativePath.below(folder, arg.text))) ? absolute(arg, folder) : arg
})

/** False for a path with variables: it is not known yet. */
const isThere = (path: string) =>
  path.includes("${")
    ? Effect.succeed(false)
    : FileSystem.FileSystem.use((fs) => Effect.orElseSucceed(fs.exists(path), () => false))

const command = Effect.fnUntraced(function*(written: Written, folder: string, { searchAfterPath }: From) {
  if (RelativePath.isNear(written.text)) return absolute(written, folder)
  if (!/^[^/\\$]+$/.test(written.text)) return written
  const { variables } = yield* Environment
  const separator = (yield* Path.Path).sep === "\\" ? ";" : ":"
  const onPath = (variables["PATH"] ?? "").split(separator).filter((one) => one !== "")
  for (const [at, where] of [...onPath, ...searchAfterPath].entries()) {
    const path = RelativePath.below(where, written.text)
    if (!(yield* isThere(path))) continue
    return at < onPath.length ? written : { ...written, text: RelativePath.escaped(path) }
  }
  return written
})

const losses = (before: Declaration, after: Declaration, folder: string): ReadonlyArray<Loss> => [
  ...(before.transport._tag === "stdio" && after.transport._tag === "stdio"
    ? programLosses(before.transport, after.transport, folder)
    : helperLosses(before.transport)),
  ...(isSame(before.options.roots, after.options.roots) ? [] : [{ keys: ["roots"], detail: since(folder) }])
]

const programLosses = (before: StdioEntry, after: StdioEntry, folder: string): ReadonlyArray<Loss> => {
  const isOwn = before.command.text !== after.command.text && !RelativePath.isNear(before.command.text)
  const changed = (["cwd", "envFile", "command", "args"] as const).filter((key) => !isSame(before[key], after[key]))
  return changed.map((key) => ({ keys: [key], detail: key === "command" && isOwn ? OWN : since(folder) }))
}

const OWN = "this command comes with BooCode, so the path of it on this machine is written"

const since = (folder: string): string => `written as an absolute path, since the file stands in ${folder}`

const helperLosses = (transport: StdioEntry | HttpEntry): ReadonlyArray<Loss> =>
  transport._tag !== "stdio" && RelativePath.isNear(transport.headersHelper?.text ?? "")
    ? [{ keys: ["headersHelper"], detail: "runs in the folder of its file here; write the whole path of the program" }]
    : []

const isSame = (before: unknown, after: unknown): boolean => JSON.stringify(before) === JSON.stringify(after)
