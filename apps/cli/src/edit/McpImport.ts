/** `mcp import`: shows the servers of other applications, and writes them into a file of BooCode. */
import { ConfigEditor, ConfigFile, SHAPES } from "@boocode/mcp-config"
import { ConfigImport, type ConfigShape } from "@boocode/mcp-config/Exchange"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { tellIfApplied } from "../backend/VerbContext.ts"
import { optional, optionalArgument, type Options, scopeToWrite, switchFlag, verb } from "../options/Options.ts"
import { Ended, Usage } from "../terminal/Failure.ts"
import { oneLine } from "../terminal/Output.ts"
import * as FileChange from "./FileChange.ts"
import { type Read, report } from "./ImportReport.ts"
import * as ImportSources from "./ImportSources.ts"
import * as ServerFiles from "./ServerFiles.ts"

export const importing = Command.make(
  "import",
  {
    source: optionalArgument(
      Argument.String("SOURCE").pipe(
        Argument.withDescription(
          "An application, such as claude-code, cursor or vscode, for your own files of it, or one file; without it, shows what there is on this machine"
        )
      )
    ),
    shape: Flag.Literals("shape", SHAPES).pipe(
      Flag.withDescription("The application whose format the file has; by default the file tells"),
      optional
    ),
    scope: scopeToWrite,
    isForced: switchFlag("force", "Replace existing servers that differ"),
    isDryRun: switchFlag("dry-run", "Show what would be written, and write nothing")
  },
  (given) =>
    verb(Effect.fnUntraced(function*(options) {
      if (given.source === null && given.shape !== null) {
        return yield* new Usage({ message: "--shape is about a file, and none is named", hint: "name the file too" })
      }
      yield* ServerFiles.withFiles(options, (files) => imported(options, files, given))
    }))
).pipe(
  Command.withDescription("Import the servers of another application"),
  Command.withExamples([
    { command: "boocode mcp import", description: "What there is on this machine, and what would come in" },
    { command: "boocode mcp import cursor --dry-run", description: "What one application's files would add" },
    { command: "boocode mcp import .vscode/mcp.json", description: "One file; a project's comes in switched off" }
  ])
)

interface Given {
  readonly source: string | null
  readonly shape: ConfigShape.ShapeName | null
  readonly scope: ServerFiles.Scope | null
  readonly isForced: boolean
  readonly isDryRun: boolean
}

const imported = Effect.fnUntraced(function*(options: Options, files: ServerFiles.Files, given: Given) {
  const target = yield* ServerFiles.forNew(files, given.scope)
  const { source } = given
  const isProject = target.file.scope === "project"
  const sources = source === null
    ? yield* ImportSources.everything(isProject)
    : yield* ImportSources.named(source, given.shape, isProject)
  const planned = yield* planAll(sources, target, given)
  const isWriting = source !== null && !given.isDryRun && written(planned).length > 0
  const outlook = source === null ? null : yield* FileChange.preview(target, change(planned))
  if (isWriting) yield* FileChange.apply(target, change(planned))
  yield* report(options, {
    ...{ target, planned, isWritten: isWriting, isListing: source === null },
    warnings: outlook === null ? [] : yield* warnings(files, target, outlook.after, planned),
    hints: source === null ? contested(planned) : hints(target, planned, isWriting)
  })
  if (isWriting) yield* tellIfApplied(options, target.file.scope)
  const isMissing = planned.some(({ error, scope }) => error !== null && (isProject || scope !== "project"))
  if (source !== null && isMissing) return yield* new Ended({ code: 1 })
})

/** The entries of the target; none when it cannot be read, which the edit reports. */
const entriesIn = Effect.fnUntraced(function*({ file }: ServerFiles.ServerFile) {
  const text = yield* Effect.result(ConfigFile.readText(file.path))
  const content = yield* ConfigFile.decode(file.path, Result.getOrElse(text, () => ""))
  return Result.match(content, { onSuccess: ({ entries }) => entries, onFailure: () => [] })
})

/** Plans one file after the other. A listing plans each application as if it were alone. */
const planAll = Effect.fnUntraced(function*(
  sources: ReadonlyArray<ImportSources.Source>,
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
    const found = ImportSources.withoutSeen(source.found.success, names)
    for (const server of found.servers) names.add(server.key)
    const { folder } = source
    const start = folder === null ? "unknown" : folder === home ? "same" : { folder }
    const isHolding = source.scope === "project" && target.file.scope !== "project"
    const plan = ConfigImport.plan(found, existing, { isReplacing: given.isForced, start, isHolding })
    return { ...source, plan, error: null }
  })
})

/** Replaces only planned entries: somebody may have added a server since. */
const change = (planned: ReadonlyArray<Read>): FileChange.Change => (text, told) =>
  ConfigEditor.putServers(
    text,
    written(planned).flatMap(({ entry, name, outcome }) =>
      entry === null ? [] : [{ name, entry, isNew: outcome !== "changed" }]
    ),
    told
  )

/** The servers that are written, or would be. */
const written = (planned: ReadonlyArray<Read>) =>
  planned.flatMap(({ plan }) => plan?.servers ?? []).filter(({ isWritten }) => isWritten)

/** Everything that keeps a new server from working, and the servers it hides. */
const warnings = Effect.fnUntraced(function*(
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
    // Remarks about keys were reported at their place in the other file.
    const remarks = entries.find(({ name }) => name === server.name)?.remarks.length ?? 0
    const first = Result.isFailure(server.config) ? [server.config.failure.message] : []
    const hidden = ServerFiles.below(files, target, server.name).map(({ file }) =>
      `${oneLine(server.name)} hides the one of ${file.name} (${file.scope})`
    )
    return [...new Set([...first, ...server.warnings.slice(remarks)]), ...hidden]
  })
})

/** Hints about servers that are written, or would be. */
const hints = (
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
  ...written(planned).flatMap(({ entry, name }) =>
    entry === null ? [] : FileChange.secretHints(name, entry, target, isWritten)
  )
]

/** Names that several applications have: only one can come in. */
const contested = (planned: ReadonlyArray<Read>): ReadonlyArray<string> => {
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
