/** `mcp import`: shows the servers of other applications, and writes them into a file of BooCode. */
import { importHints } from "@boocode/chat-server/ImportDocument"
import { SHAPES } from "@boocode/mcp-config"
import { type ConfigShape, ImportPlan, ImportSources } from "@boocode/mcp-config/Exchange"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { tellIfApplied } from "../backend/VerbContext.ts"
import { currentFolder } from "../options/DataLocation.ts"
import { optional, optionalArgument, type Options, scopeToWrite, switchFlag, verb } from "../options/Options.ts"
import { Ended, failed, Usage } from "../terminal/Failure.ts"
import { oneLine } from "../terminal/Output.ts"
import * as FileChange from "./FileChange.ts"
import { report } from "./ImportReport.ts"
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
  const from = yield* currentFolder
  const sources = source === null
    ? yield* ImportSources.everything(from, isProject)
    : yield* named(from, source, given.shape, isProject)
  const planned = yield* ImportPlan.make(sources, target.file, { group: source, isReplacing: given.isForced })
  const written = ImportPlan.written(planned)
  const isWriting = source !== null && !given.isDryRun && written.length > 0
  const change = ImportPlan.change(planned)
  const outlook = source === null ? null : yield* FileChange.preview(target, change)
  if (isWriting) yield* FileChange.apply(target, change)
  yield* report(options, {
    ...{ target: target.file, planned, isWritten: isWriting, isListing: source === null },
    warnings: outlook === null ? [] : yield* warnings(files, target, outlook.after, planned),
    hints: source === null ? contested(planned) : importHints(target.file, planned, isWriting, (name) => oneLine(name))
  })
  if (isWriting) yield* tellIfApplied(options, target.file.scope)
  const isMissing = planned.some(({ error, scope }) => error !== null && (isProject || scope !== "project"))
  if (source !== null && isMissing) return yield* new Ended({ code: 1 })
})

const named = Effect.fnUntraced(function*(
  from: string,
  source: string,
  shape: ConfigShape.ShapeName | null,
  takesProject: boolean
) {
  const applications = ImportSources.applicationsOf(source)
  if (applications.length > 0 && shape !== null) {
    return yield* new Usage({ message: "--shape is for files: an application's shape is known", hint: "leave it out" })
  }
  return applications.length === 0
    ? [yield* Effect.mapError(ImportSources.ofFile(from, source, shape), failed)]
    : yield* Effect.mapError(ImportSources.ofApplications(from, applications, takesProject), failed)
})

/** Everything that keeps a new server from working, and the servers it hides. */
const warnings = Effect.fnUntraced(function*(
  files: ServerFiles.Files,
  target: ServerFiles.ServerFile,
  text: string,
  planned: ReadonlyArray<ImportPlan.Planned>
) {
  const all = yield* ImportPlan.warnings(target.file, text, planned)
  return all.flatMap((one) => [
    ...one.warnings,
    ...ServerFiles.below(files, target, one.name).map(({ file }) =>
      `${oneLine(one.name)} hides the one of ${file.name} (${file.scope})`
    )
  ])
})

const contested = (planned: ReadonlyArray<ImportPlan.Planned>): ReadonlyArray<string> =>
  ImportPlan.contested(planned).map(({ applications, name }) =>
    `${oneLine(name)} is in ${applications.join(", ")}: ` +
    "that of the application you import first comes in, the others then only with --force"
  )
