/** The report of an edit: as JSON, and in words. */
import type { EditedFile } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { tellIfApplied } from "../backend/VerbContext.ts"
import type { Options } from "../options/Options.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"
import * as ServerFiles from "./ServerFiles.ts"

type Change = "added" | "replaced" | "removed" | "enabled" | "disabled" | "writes-ask" | "writes-off" | "unchanged"

export interface Done {
  /** As they were before. */
  readonly files: ServerFiles.Files
  readonly target: ServerFiles.ServerFile
  readonly edited: EditedFile.Edited
  readonly changes: ReadonlyArray<readonly [name: string, change: Change]>
  /** The state that `unchanged` servers already had. */
  readonly already?: "enabled" | "disabled" | "offering its writing tools" | "keeping its writing tools off"
  readonly notes?: ReadonlyArray<string>
  /** Hints about the next step. */
  readonly hints?: ReadonlyArray<string>
}

export const report = Effect.fnUntraced(function*(options: Options, done: Done) {
  const output = yield* Output
  const document = documentOf(done, yield* ServerFiles.again(done.files, done.target))
  if (options.json) yield* output.document(document)
  else {yield* output.lines(
      document.servers.flatMap((server) => lines(document, server, done.already)).map(output.paint.typed)
    )}
  const { hints = [] } = done
  const warnings = [...document.warnings, ...document.servers.flatMap((server) => server.warnings)]
  yield* output.notes([
    ...warnings.map((warning) => `${output.notePaint.careful("warning")}  ${plain(warning)}`),
    ...hints.map((hint) => `${output.notePaint.dim("hint")}     ${plain(hint)}`)
  ])
  if (done.changes.some(([, change]) => change !== "unchanged")) yield* tellIfApplied(options, document.scope)
})

/** Every verb that edits prints this with `--json`. */
const documentOf = ({ changes, edited, notes = [], target }: Done, files: ServerFiles.Files) => ({
  ...placeOf(target.file),
  /** The file that a symbolic link leads to; null for another file. */
  linkedTo: edited.file === target.file.path ? null : edited.file,
  servers: changes.map(([name, change]) => ({
    name,
    change,
    /** The entry in use now; null when there is no server of this name any more. */
    now: entryInUse(files, name),
    /** Entries of this name in files that come after the edited one. */
    below: ServerFiles.below(files, target, name).map(({ file }) => placeOf(file)),
    warnings: warningsOf(files, target, name)
  })),
  /** Warnings about no single server: left out keys, files that cannot be read. */
  warnings: [
    ...notes,
    ...(edited.isOthers ? [`${target.file.name} belongs to another user`] : []),
    ...files.all.flatMap(({ content }) => content.source?.error?.message ?? [])
  ]
})

type EditDocument = ReturnType<typeof documentOf>
type EditedServer = EditDocument["servers"][number]

const placeOf = ({ name, scope }: ServerFiles.ServerFile["file"]) => ({ source: name, scope })

const entryInUse = (files: ServerFiles.Files, name: string) => {
  const found = ServerFiles.inUse(files, name)
  if (found === null) return null
  const { enabled, needsApproval } = found.server
  return { ...placeOf(found.file), enabled, needsApproval }
}

const warningsOf = (files: ServerFiles.Files, target: ServerFiles.ServerFile, name: string): ReadonlyArray<string> => {
  const file = files.all.find((one) => one.file === target.file)
  const server = file === undefined ? undefined : ServerFiles.serverOf(file, name)
  if (server === undefined) return []
  const failure = Result.isFailure(server.config) ? [server.config.failure.message] : []
  return [...failure.filter((message) => !server.warnings.includes(message)), ...server.warnings]
}

const lines = (document: EditDocument, server: EditedServer, already: Done["already"]): ReadonlyArray<string> => [
  headline(document, server, already),
  ...consequences(document, server).map((line) => `  ${line}`)
]

const headline = (document: EditDocument, { change, name }: EditedServer, already: Done["already"]): string => {
  const link = document.linkedTo === null ? "" : `, a link to ${oneLine(document.linkedTo, 400)}`
  const where = `${named(document)}${link}`
  if (change === "unchanged" && already !== undefined) return `${oneLine(name)} is ${already} already in ${where}`
  if (change === "unchanged") return `${oneLine(name)} stays as it was in ${where}`
  if (change === "writes-ask") {
    return `the writing tools of ${oneLine(name)} are offered, each call with your yes: ${where}`
  }
  if (change === "writes-off") return `the writing tools of ${oneLine(name)} are off: ${where}`
  const preposition = { added: "to", removed: "from", replaced: "in", enabled: "in", disabled: "in" }[change]
  return `${change} ${oneLine(name)} ${preposition} ${where}`
}

const named = ({ scope, source }: ReturnType<typeof placeOf>): string => `${oneLine(source, 400)} (${scope})`

const consequences = (document: EditDocument, server: EditedServer): ReadonlyArray<string> => {
  const { below, change, now } = server
  if (change === "removed") return [successor(server), ...(document.scope === "project" ? [SHARED] : [])]
  const name = oneLine(server.name)
  if (now !== null && now.source !== document.source) {
    return [`not in use: ${name} is the one of ${named(now)}, which comes first`]
  }
  const hidden = below.map((place) => `hides the one of ${named(place)}`)
  return now?.needsApproval === true && now.enabled
    ? [...hidden, `a server of a project file does not start until it is approved: boocode mcp approve ${name}`]
    : hidden
}

const SHARED = "the file is the project's: others who work in it lose the server too"

const successor = ({ name, now }: EditedServer): string => {
  if (now === null) return `no server is called ${oneLine(name)} any more`
  const approval = now.needsApproval ? ", which does not start until it is approved" : ""
  return `${oneLine(name)} is now the one of ${named(now)}${now.enabled ? approval : ", which is disabled"}`
}
