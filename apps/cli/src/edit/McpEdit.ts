/** `mcp add`: new entries in a file, checked by what reads them before they are written. */
import { ConfigEditor, ConfigFile, Environment, ServerName } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { Options } from "../options/Options.ts"
import { Failed } from "../terminal/Failure.ts"
import * as EditReport from "./EditReport.ts"
import { report, secretHints } from "./EditReport.ts"
import * as NewEntry from "./NewEntry.ts"
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
  const change: EditReport.Change = (text, told) =>
    entries.reduce<ReturnType<EditReport.Change>>(
      (changed, [name, entry]) => Result.flatMap(changed, (before) => set(before, name, entry, told)),
      Result.succeed(text)
    )
  const outlook = yield* EditReport.preview(target, change)
  yield* checked(target, outlook.after, entries)
  const edited = yield* EditReport.applyFile(target, change)
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

// `mcp enable` and `mcp disable`: the entry says so, and says it once.

export const setEnabled = (options: Options, name: string, isEnabled: boolean, scope: ServerFiles.Scope | null) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const target = yield* ServerFiles.holding(files, name, scope)
      const edited = yield* EditReport.applyFile(
        target,
        (text, told) => ConfigEditor.setEnabled(text, name, isEnabled, told)
      )
      const already = isEnabled ? "enabled" as const : "disabled" as const
      const change = edited.isChanged ? already : "unchanged" as const
      yield* report(options, { files, target, edited, changes: [[name, change]], already })
    })
  )

// `mcp remove`: an entry leaves its file.

export const remove = (options: Options, name: string, scope: ServerFiles.Scope | null) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const target = yield* ServerFiles.holding(files, name, scope)
      const edited = yield* EditReport.applyFile(target, (text, told) => ConfigEditor.removeServer(text, name, told))
      yield* report(options, { files, target, edited, changes: [[name, "removed"]] })
    })
  )
