/** `mcp import`: the servers of other applications' files, shown, and written into a file of ours. */
import { ConfigEditor, ConfigFile, Environment } from "@boocode/mcp-config"
import { Applications, ConfigImport, type ConfigShape } from "@boocode/mcp-config/Exchange"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { tellIfApplied } from "../backend/Connected.ts"
import type { Options } from "../options/Options.ts"
import { Ended, Failed, failed, Usage } from "../terminal/Failure.ts"
import { oneLine } from "../terminal/Output.ts"
import * as EditReport from "./EditReport.ts"
import { secretHints } from "./EditReport.ts"
import { type Read, report } from "./ImportReport.ts"
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
  const { source } = given
  const isProject = target.file.scope === "project"
  const sources = source === null
    ? yield* everything(isProject)
    : yield* named(source, given.shape, isProject)
  const planned = yield* planAll(sources, target, given)
  const isWriting = source !== null && !given.isDryRun && written(planned).length > 0
  const outlook = source === null ? null : yield* EditReport.preview(target, change(planned))
  if (isWriting) yield* EditReport.applyFile(target, change(planned))
  yield* report(options, {
    ...{ target, planned, isWritten: isWriting, isListing: source === null },
    warnings: outlook === null ? [] : yield* warnings(files, target, outlook.after, planned),
    hints: source === null ? contested(planned) : hints(target, planned, isWriting)
  })
  if (isWriting) yield* tellIfApplied(options, target.file.scope)
  const isMissing = planned.some(({ error, scope }) => error !== null && (isProject || scope !== "project"))
  if (source !== null && isMissing) return yield* new Ended({ code: 1 })
})

/** The servers of the target as its file declares them; none of one that cannot be read, which an edit refuses. */
const entriesIn = Effect.fnUntraced(function*({ file }: ServerFiles.ServerFile) {
  const text = yield* Effect.result(ConfigFile.readText(file.path))
  const content = yield* ConfigFile.decode(file.path, Result.getOrElse(text, () => ""))
  return Result.match(content, { onSuccess: ({ entries }) => entries, onFailure: () => [] })
})

/** Plans each file after the others; when what there is is only shown, each application as if it were alone. */
const planAll = Effect.fnUntraced(function*(
  sources: ReadonlyArray<Source>,
  target: ServerFiles.ServerFile,
  given: Given
) {
  const existing = yield* entriesIn(target)
  const home = (yield* Path.Path).dirname(target.file.path)
  const seen = new Map<string, Set<string>>()
  return sources.map((source): Read => {
    if (Result.isFailure(source.found)) return { ...source, plan: null, error: source.found.failure }
    const group = given.source ?? source.application?.id ?? ""
    const names = seen.get(group) ?? new Set()
    seen.set(group, names)
    const found = withoutSeen(source.found.success, names)
    for (const server of found.servers) names.add(server.key)
    const { folder } = source
    const start = folder === null ? "unknown" : folder === home ? "same" : { folder }
    const isHolding = source.scope === "project" && target.file.scope !== "project"
    const plan = ConfigImport.plan(found, existing, { isReplacing: given.isForced, start, isHolding })
    return { ...source, plan, error: null }
  })
})

/** Somebody may have added a server in the meantime; only what was to be replaced is. */
const change = (planned: ReadonlyArray<Read>): EditReport.Change => (text, told) =>
  ConfigEditor.putServers(
    text,
    written(planned).flatMap(({ entry, name, outcome }) =>
      entry === null ? [] : [{ name, entry, isNew: outcome !== "changed" }]
    ),
    told
  )

// What a person should know about servers that come in, and what there is to do next.

/** The servers that are written, or would be. */
export const written = (planned: ReadonlyArray<Read>) =>
  planned.flatMap(({ plan }) => plan?.servers ?? []).filter(({ isWritten }) => isWritten)

/** What keeps each new server from working, all of it, and which others it hides. */
export const warnings = Effect.fnUntraced(function*(
  files: ServerFiles.Files,
  target: ServerFiles.ServerFile,
  text: string,
  planned: ReadonlyArray<Read>
) {
  const names = new Set(written(planned).map(({ name }) => name))
  const { servers } = yield* ConfigFile.fromText(target.file, text)
  const entries = Result.match(yield* ConfigFile.decode(target.file.path, text), {
    onSuccess: (content) => content.entries,
    onFailure: () => []
  })
  return servers.filter(({ name }) => names.has(name)).flatMap((server) => {
    // What is remarked about the keys was said at their place in the other file.
    const remarks = entries.find(({ name }) => name === server.name)?.remarks.length ?? 0
    const first = Result.isFailure(server.config) ? [server.config.failure.message] : []
    const hidden = ServerFiles.below(files, target, server.name).map(({ file }) =>
      `${oneLine(server.name)} hides the one of ${file.name} (${file.scope})`
    )
    return [...new Set([...first, ...server.warnings.slice(remarks)]), ...hidden]
  })
})

/** About what was, or would be, written. */
export const hints = (
  target: ServerFiles.ServerFile,
  planned: ReadonlyArray<Read>,
  isWritten: boolean
): ReadonlyArray<string> => [
  ...written(planned).filter(({ isHeld }) => isHeld).map(({ name }) =>
    `${
      oneLine(name)
    } is from a file of the project, so it comes in with "enabled": false: read the entry, then boocode mcp enable ${
      oneLine(name)
    }`
  ),
  ...written(planned).flatMap(({ entry, name }) => entry === null ? [] : secretHints(name, entry, target, isWritten))
]

/** Of a name that several applications have, one can come in. */
export const contested = (planned: ReadonlyArray<Read>): ReadonlyArray<string> => {
  const all = planned.flatMap(({ application, plan }) =>
    application === null || plan === null
      ? []
      : plan.servers.filter(({ outcome }) => outcome === "added").map(({ name }) => ({ name, application }))
  )
  return [...Map.groupBy(all, ({ name }) => name)].flatMap(([name, some]) =>
    some.length < 2
      ? []
      : [
        `${oneLine(name)} is in ${some.map(({ application }) => application.id).join(", ")}: ` +
        "that of the application you import first comes in, the others then only with --force"
      ]
  )
}

// The files that `mcp import` reads: those of applications on this machine, or the one that is named.

export type Source = Omit<Applications.Source, "application" | "scope"> & Pick<Read, "application" | "scope">

const standing = Effect.gen(function*() {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  return path.resolve(variables["INIT_CWD"] ?? "")
})

/** All of them; nothing of the project's files unless they may come in. */
export const everything = Effect.fnUntraced(function*(mayBeStrange: boolean) {
  const found = yield* Applications.scan(yield* standing)
  return mayBeStrange ? found : found.map(withoutStrangers)
})

/** The files that a word names: those of an application, or one file. */
export const named = Effect.fnUntraced(function*(
  source: string,
  shape: ConfigShape.ShapeName | null,
  mayBeStrange: boolean
) {
  const applications = Applications.knownApplications.filter((one) => one.id === source || one.shape === source)
  const isName = applications.length > 0 && !/[./\\]/.test(source)
  if (!isName) return [yield* file(source, shape)]
  if (shape !== null) {
    return yield* new Usage({ message: "--shape is for files: an application's shape is known", hint: "leave it out" })
  }
  return yield* ofApplications(applications, mayBeStrange)
})

const file = Effect.fnUntraced(function*(source: string, shape: ConfigShape.ShapeName | null) {
  const from = yield* standing
  const path = yield* Path.Path
  const read = yield* Applications.read({ file: path.resolve(from, source), shape, isOwn: false, from })
  if (read === null) return yield* absent(source)
  if (Result.isFailure(read.found)) return yield* failed(read.found.failure)
  const scope = (yield* Applications.isOfProject(read.file, from)) ? "project" as const : null
  return { ...read, application: null, scope } satisfies Source
})

const ofApplications = Effect.fnUntraced(function*(
  applications: ReadonlyArray<Applications.Application>,
  mayBeStrange: boolean
) {
  const all = yield* Applications.scan(yield* standing, applications)
  const found = all.filter(({ scope }) => mayBeStrange || scope === "user")
  const [broken] = found.flatMap((one) => Result.isFailure(one.found) ? [one.found.failure] : [])
  if (broken !== undefined && found.length === 1) return yield* failed(broken)
  return found.length === 0 ? yield* nowhere(applications, all) : mayBeStrange ? all : all.map(withoutStrangers)
})

const absent = (source: string) =>
  new Failed({
    tag: "SourceAbsent",
    message: `${source} is neither a file that is there nor an application`,
    hint: `name a file, or one of ${Applications.knownApplications.map(({ id }) => id).join(", ")}`
  })

const nowhere = (applications: ReadonlyArray<Applications.Application>, strange: ReadonlyArray<Source>) => {
  const titles = applications.map(({ title }) => title).join(" or ")
  const files = strange.map((one) => one.file).join(" or ")
  return new Failed({
    tag: "SourceAbsent",
    message: `no file of ${titles} with servers was found${files === "" ? "" : " but the project's"}`,
    hint: files === ""
      ? "docs/import.md says where it is looked for; name the file if it is elsewhere"
      : `a stranger may have written what a project brings along; to import it name the file: ${files}`
  })
}

/** What a project brought along would be trusted in a file of one's own: so it takes more than the name of an application. */
const withoutStrangers = (source: Source): Source =>
  source.scope !== "project" ? source : {
    ...source,
    found: Result.map(source.found, (found) =>
      without(found, () =>
        true, `it is in a file of the project; if you trust it, name that file: ${source.file}`))
  }

/** Of a name that several files have, the first counts there too. */
export const withoutSeen = (found: ConfigShape.Found, seen: ReadonlySet<string>): ConfigShape.Found =>
  without(found, (name) => seen.has(name), "another file of this application has it too, and that one counts")

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
