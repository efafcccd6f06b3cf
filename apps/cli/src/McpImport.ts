/** `mcp import`: the servers of other applications' files, shown, and written into a file of ours. */
import { ConfigEditor, ConfigFile, Environment } from "@boocode/mcp-config"
import { Applications, ConfigImport, type ConfigShape } from "@boocode/mcp-config/Exchange"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { tellIfApplied } from "./Connected.ts"
import { Failed, failed, Usage } from "./Failure.ts"
import * as FileEdit from "./FileEdit.ts"
import { type Read, report } from "./ImportReport.ts"
import type { Options } from "./Options.ts"
import * as ServerFiles from "./ServerFiles.ts"

export interface Given {
  /** An application or a file; null shows what there is. */
  readonly source: string | null
  readonly shape: ConfigShape.ShapeName | null
  readonly scope: ServerFiles.Scope | null
  /** Whether servers that are there and different are written over. */
  readonly isForced: boolean
  readonly isDryRun: boolean
}

export const bring = Effect.fnUntraced(function*(options: Options, given: Given) {
  if (given.source === null && given.shape !== null) {
    return yield* new Usage({ message: "--shape is about a file, and none is named", hint: "name the file too" })
  }
  yield* ServerFiles.withFiles(options, (files) => brought(options, files, given))
})

const brought = Effect.fnUntraced(function*(options: Options, files: ServerFiles.Files, given: Given) {
  const target = yield* ServerFiles.forNew(files, given.scope)
  const existing = yield* entriesIn(target)
  const { source } = given
  const sources = source === null ? yield* everything : yield* named(source, given)
  const home = (yield* Path.Path).dirname(target.file.path)
  const allowed = target.file.scope === "project" ? sources : sources.map(withoutStrangers)
  const planned = planAll(allowed, existing, home, given)
  const isWriting = source !== null && !given.isDryRun && written(planned).length > 0
  const outlook = source === null ? null : yield* FileEdit.preview(target, change(planned))
  if (isWriting) yield* FileEdit.apply(target, change(planned))
  const warnings = outlook === null ? [] : yield* unset(target, outlook.after, planned)
  yield* report(options, { target, planned, isWritten: isWriting, isListing: source === null, warnings })
  if (isWriting) yield* tellIfApplied(options, target.file.scope)
})

/** The servers of the target as its file declares them; none of one that cannot be read, which an edit refuses. */
const entriesIn = Effect.fnUntraced(function*({ file }: ServerFiles.ServerFile) {
  const text = yield* Effect.result(ConfigFile.readText(file.path))
  const content = yield* ConfigFile.decode(file.path, Result.getOrElse(text, () => ""))
  return Result.match(content, { onSuccess: ({ entries }) => entries, onFailure: () => [] })
})

const standing = Effect.gen(function*() {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  return path.resolve(variables["INIT_CWD"] ?? "")
})

const everything = Effect.flatMap(standing, (from) => Applications.scan(from))

/** The files that a word names: those of an application, or one file. */
const named = Effect.fnUntraced(function*(source: string, { shape }: Given) {
  const from = yield* standing
  const path = yield* Path.Path
  const applications = Applications.all.filter((one) => one.id === source || one.shape === source)
  const isName = applications.length > 0 && !/[./\\]/.test(source)
  if (!isName) {
    const read = yield* Applications.read({ file: path.resolve(from, source), shape, isOwn: false, from })
    if (read === null) return yield* absent(source)
    if (Result.isFailure(read.found)) return yield* failed(read.found.failure)
    return [{ ...read, application: null, scope: null }]
  }
  if (shape !== null) {
    return yield* new Usage({ message: "--shape is for files: an application's shape is known", hint: "leave it out" })
  }
  const found = yield* Applications.scan(from, applications)
  const [broken] = found.flatMap((one) => Result.isFailure(one.found) ? [one.found.failure] : [])
  if (broken !== undefined && found.length === 1) return yield* failed(broken)
  return found.length === 0 ? yield* nowhere(applications.map(({ title }) => title)) : found
})

const absent = (source: string) =>
  new Failed({
    tag: "SourceAbsent",
    message: `${source} is neither a file that is there nor an application`,
    hint: `name a file, or one of ${Applications.all.map(({ id }) => id).join(", ")}`
  })

const nowhere = (titles: ReadonlyArray<string>) =>
  new Failed({
    tag: "SourceAbsent",
    message: `no file of ${titles.join(" or ")} with servers was found`,
    hint: "docs/import.md says where it is looked for; name the file if it is elsewhere"
  })

type Source = Omit<Applications.Source, "application" | "scope"> & Pick<Read, "application" | "scope">

/** Plans each file after the others; when what is there is only shown, each as if it were alone. */
const planAll = (
  sources: ReadonlyArray<Source>,
  existing: Parameters<typeof ConfigImport.plan>[1],
  home: string,
  given: Given
): ReadonlyArray<Read> => {
  const seen = new Set<string>()
  return sources.map((source): Read => {
    if (Result.isFailure(source.found)) return { ...source, plan: null, error: source.found.failure }
    const all = source.found.success
    const found = given.source === null ? all : withoutSeen(all, seen)
    for (const server of found.servers) seen.add(server.key)
    const { folder } = source
    const start = folder === null ? "unknown" : folder === home ? "same" : { folder }
    const plan = ConfigImport.plan(found, existing, { isReplacing: given.isForced, start })
    return { ...source, plan, error: null }
  })
}

/** Of a name that several files have, the first counts there too. */
const withoutSeen = (found: ConfigShape.Found, seen: ReadonlySet<string>): ConfigShape.Found =>
  without(found, (name) => seen.has(name), "another file of this application has it too, and that one counts")

/** What a project brought along would be trusted in a file of one's own: so it takes more than the name of an application. */
const withoutStrangers = (source: Source): Source =>
  source.scope !== "project" ? source : {
    ...source,
    found: Result.map(source.found, (found) =>
      without(found, () =>
        true, `it is in a file of the project; if you trust it, name that file: ${source.file}`))
  }

/** The servers of these names are skipped, and each says why. */
const without = (found: ConfigShape.Found, isOut: (name: string) => boolean, detail: string): ConfigShape.Found => {
  const out = found.servers.filter(({ key }) => isOut(key))
  const notes = out.map(({ at, key, path = key }) => ({ server: key, at, key: path, matters: true, detail }))
  return {
    servers: found.servers.filter(({ key }) => !isOut(key)),
    notes: [...found.notes.filter(({ server }) => server === null || !isOut(server)), ...notes],
    skipped: [...found.skipped, ...out.map(({ key }) => key)]
  }
}

const written = (planned: ReadonlyArray<Read>) =>
  planned.flatMap(({ plan }) => plan?.servers ?? []).filter(({ isWritten }) => isWritten)

/** Somebody may have added a server in the meantime; only what was to be replaced is. */
const change = (planned: ReadonlyArray<Read>): FileEdit.Change => (text, told) =>
  written(planned).reduce<ReturnType<FileEdit.Change>>((changed, { entry, name, outcome }) => {
    const set = outcome === "changed" ? ConfigEditor.setServer : ConfigEditor.addServer
    return Result.flatMap(changed, (before) => entry === null ? changed : set(before, name, entry, told))
  }, Result.succeed(text))

/** Variables that the new servers need and that are not set. */
const unset = Effect.fnUntraced(function*(
  { file }: ServerFiles.ServerFile,
  text: string,
  planned: ReadonlyArray<Read>
) {
  const names = new Set(written(planned).map(({ name }) => name))
  const { servers } = yield* ConfigFile.fromText(file, text)
  return servers.flatMap(({ config, name }) =>
    names.has(name) && Result.isFailure(config) && config.failure._tag === "VariableUnset"
      ? [config.failure.message]
      : []
  )
})
