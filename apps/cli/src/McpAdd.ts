/** `mcp add`: new entries in a file, checked by what reads them before they are written. */
import { ConfigEditor, ConfigFile, Environment, ServerName } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { report } from "./EditReport.ts"
import { Failed } from "./Failure.ts"
import * as FileEdit from "./FileEdit.ts"
import * as NewEntry from "./NewEntry.ts"
import type { Options } from "./Options.ts"
import { secretHints } from "./SecretHints.ts"
import * as ServerFiles from "./ServerFiles.ts"

export interface Addition extends NewEntry.Given {
  /** null for where new servers go. */
  readonly scope: ServerFiles.Scope | null
  /** Whether an entry that is there is replaced. */
  readonly isForced: boolean
}

export const add = Effect.fnUntraced(function*(options: Options, given: Addition) {
  yield* NewEntry.check(given)
  yield* ServerFiles.withFiles(options, (files) => added(options, files, given))
})

const added = Effect.fnUntraced(function*(options: Options, files: ServerFiles.Files, given: Addition) {
  const target = yield* ServerFiles.forNew(files, given.scope)
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const stands = path.resolve(variables["INIT_CWD"] ?? "")
  const { entries, notes } = yield* NewEntry.read(given, stands, target.file.path)
  const set = given.isForced ? ConfigEditor.setServer : ConfigEditor.addServer
  const change: FileEdit.Change = (text, told) =>
    entries.reduce<ReturnType<FileEdit.Change>>(
      (changed, [name, entry]) => Result.flatMap(changed, (before) => set(before, name, entry, told)),
      Result.succeed(text)
    )
  const outlook = yield* FileEdit.preview(target, change)
  yield* checked(target, outlook.after, entries)
  const edited = yield* FileEdit.apply(target, change)
  const old = ServerFiles.namesIn(target, edited.before ?? "")
  const changes = entries.map(([name]) => {
    if (!edited.isChanged) return [name, "unchanged"] as const
    return [name, old.includes(name) ? "replaced" : "added"] as const
  })
  const hints = entries.flatMap(([name, entry]) => secretHints(name, entry, target))
  yield* report(options, { files, target, edited, changes, notes, hints })
})

/** An entry that could never work is not written. What may yet come, a variable or a file of them, is no reason. */
const checked = Effect.fnUntraced(function*(
  { file }: ServerFiles.ServerFile,
  text: string,
  entries: NewEntry.Entries
) {
  const { servers } = yield* ConfigFile.fromText(file, text)
  for (const [name] of entries) {
    const config = servers.find((server) => server.name === ServerName.shown(name))?.config
    if (config === undefined || Result.isSuccess(config) || config.failure._tag !== "InvalidEntry") continue
    const { detail, hint, key } = config.failure
    if (key.endsWith(".envFile")) continue
    return yield* new Failed({
      tag: "InvalidEntry",
      message: `${key}: ${detail}`,
      hint: `${hint}; nothing was written`
    })
  }
})
