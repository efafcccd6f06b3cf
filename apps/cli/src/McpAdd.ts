/** `mcp add`: new entries in a file, checked by what reads them before they are written. */
import { ConfigEditor, ConfigFile, Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { report } from "./EditReport.ts"
import { Failed } from "./Failure.ts"
import * as FileEdit from "./FileEdit.ts"
import * as NewEntry from "./NewEntry.ts"
import type { Options } from "./Options.ts"
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
  yield* report(options, { files, target, edited, changes, notes, hints: hints(entries, target) })
})

/** An entry that could never work is not written. What may yet come, a variable or a file of them, is no reason. */
const checked = Effect.fnUntraced(function*(
  { file }: ServerFiles.ServerFile,
  text: string,
  entries: NewEntry.Entries
) {
  const { servers } = yield* ConfigFile.fromText(file, text)
  for (const [name] of entries) {
    const config = servers.find((server) => server.name === name)?.config
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

/** How values that look like secrets may stay out of the file. */
const hints = (entries: NewEntry.Entries, { file }: ServerFiles.ServerFile): ReadonlyArray<string> =>
  entries.flatMap(([name, entry]) =>
    [...literals(entry["env"]), ...literals(entry["headers"])].map(([key, value]) => {
      const where = file.scope === "project" ? `${file.name}, a file of the project` : file.name
      return `the value of ${key} is in ${where} now; '${suggested(name, key, value)}' takes it from the environment`
    })
  )

const literals = (values: Schema.Json | undefined): ReadonlyArray<readonly [string, string]> =>
  typeof values !== "object" || values === null || Array.isArray(values)
    ? []
    : Object.entries(values).flatMap(([key, value]) =>
      typeof value === "string" && SECRET.test(key) && !value.includes("${") ? [[key, value] as const] : []
    )

const SECRET = /token|key|secret|passw|pwd|auth|credential|cookie/i

const suggested = (server: string, key: string, value: string): string => {
  const scheme = /^(?:Bearer|Basic|Token) /.exec(value)?.[0] ?? ""
  const words = /^authorization$/i.test(key) ? `${server}_TOKEN` : key
  return `${scheme}\${${words.toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^(?=\d)/, "_")}}`
}
