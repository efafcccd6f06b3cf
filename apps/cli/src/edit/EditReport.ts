/** What an edit came to: for scripts, and in words. */
import { type ConfigEditor, EditedFile, Nearest } from "@boocode/mcp-config"
import { McpErrors } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { tellIfApplied } from "../backend/Connected.ts"
import type { Options } from "../options/Options.ts"
import { Failed, failed } from "../terminal/Failure.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"
import * as ServerFiles from "./ServerFiles.ts"
import type { ServerFile } from "./ServerFiles.ts"

const Place = Schema.Struct({ source: Schema.String, scope: Schema.String })

const EditedServer = Schema.Struct({
  name: Schema.String,
  change: Schema.Literals(["added", "replaced", "removed", "enabled", "disabled", "unchanged"]),
  /** The entry that counts now; null when there is no server of this name any more. */
  now: Schema.NullOr(
    Schema.Struct({ ...Place.fields, enabled: Schema.Boolean, needsApproval: Schema.Boolean })
  ),
  /** Entries of this name in files below the one that was edited. */
  below: Schema.Array(Place),
  warnings: Schema.Array(Schema.String)
})

/** What every verb that edits prints with `--json`. */
export const EditDocument = Schema.Struct({
  /** The file that was edited. */
  ...Place.fields,
  /** The file it leads to, when it is a symbolic link. */
  linkedTo: Schema.NullOr(Schema.String),
  servers: Schema.Array(EditedServer),
  /** What belongs to no single server: what was left out, files that cannot be read. */
  warnings: Schema.Array(Schema.String)
})

type Place = typeof Place.Type
type EditedServer = typeof EditedServer.Type
type EditDocument = typeof EditDocument.Type

export interface Done {
  /** As they were before. */
  readonly files: ServerFiles.Files
  readonly target: ServerFiles.ServerFile
  readonly edited: EditedFile.Edited
  readonly changes: ReadonlyArray<readonly [name: string, change: EditedServer["change"]]>
  /** What `unchanged` servers are already. */
  readonly already?: "enabled" | "disabled"
  /** What was left out. */
  readonly notes?: ReadonlyArray<string>
  /** What a person may want to do next. */
  readonly hints?: ReadonlyArray<string>
}

/** Prints it. */
export const report = Effect.fnUntraced(function*(options: Options, done: Done) {
  const output = yield* Output
  const document = documentOf(done, yield* ServerFiles.again(done.files, done.target))
  if (options.json) yield* output.document(document)
  else yield* output.lines(document.servers.flatMap((server) => lines(document, server, done.already)))
  const { hints = [] } = done
  const warnings = [...document.warnings, ...document.servers.flatMap((server) => server.warnings)]
  yield* output.notes([
    ...warnings.map((warning) => `${output.notePaint.careful("warning")}  ${plain(warning)}`),
    ...hints.map((hint) => `${output.notePaint.dim("hint")}     ${plain(hint)}`)
  ])
  if (done.changes.some(([, change]) => change !== "unchanged")) yield* tellIfApplied(options, document.scope)
})

const documentOf = ({ changes, edited, notes = [], target }: Done, files: ServerFiles.Files): EditDocument => ({
  ...placeOf(target.file),
  linkedTo: edited.file === target.file.path ? null : edited.file,
  servers: changes.map(([name, change]) => ({
    name,
    change,
    now: nowOf(files, name),
    below: ServerFiles.below(files, target, name).map(({ file }) => placeOf(file)),
    warnings: warningsOf(files, target, name)
  })),
  warnings: [
    ...notes,
    ...(edited.isOthers ? [`${target.file.name} belongs to another user`] : []),
    ...files.all.flatMap(({ content }) => content.source?.error?.message ?? [])
  ]
})

const placeOf = (file: ServerFiles.ServerFile["file"]): Place => ({ source: file.name, scope: file.scope })

const nowOf = (files: ServerFiles.Files, name: string): EditedServer["now"] => {
  const found = ServerFiles.inForce(files, name)
  if (found === null) return null
  const { enabled, needsApproval } = found.server
  return { ...placeOf(found.file), enabled, needsApproval }
}

/** A variable that is not set is no fault of the entry. */
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
  const preposition = { added: "to", removed: "from", replaced: "in", enabled: "in", disabled: "in" }[change]
  return `${change} ${oneLine(name)} ${preposition} ${where}`
}

const named = ({ scope, source }: Place): string => `${oneLine(source, 400)} (${scope})`

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

// One edit of a file with servers: applied, its refusals put in words, and what it came to.

/** A change of a text in the native shape. */
export type Change = (text: string, options: ConfigEditor.EditOptions) => Result.Result<string, ConfigEditor.Refusal>

/** Applies a change. The file stays as it was when this fails. */
export const applyFile = (target: ServerFile, change: Change) =>
  told(target, EditedFile.edit(target.file, within(target, change)))

/** What a change would come to. */
export const preview = (target: ServerFile, change: Change) =>
  told(target, EditedFile.preview(target.file, within(target, change)))

const within = ({ file }: ServerFile, change: Change): EditedFile.Change<ConfigEditor.Refusal> => (text) =>
  change(text, { bare: file.path.endsWith(".mcprc") })

const told = <R>(
  target: ServerFile,
  effect: Effect.Effect<EditedFile.Edited, ConfigEditor.Refusal | EditedFile.EditFailed, R>
): Effect.Effect<EditedFile.Edited, Failed, R> =>
  /\.(toml|ya?ml)$/i.test(target.file.path)
    ? Effect.fail(foreign(target, "in another language than JSON"))
    : Effect.mapError(effect, (error) => inWords(target, error))

const foreign = ({ file }: ServerFile, how: string): Failed =>
  new Failed({
    tag: "ForeignShape",
    message: `${file.name} is written ${how}, so it is not edited`,
    hint: `boocode mcp import ${file.name} brings its servers into a file of your own`
  })

const inWords = (target: ServerFile, error: ConfigEditor.Refusal | EditedFile.EditFailed): Failed => {
  const { file } = target
  switch (error._tag) {
    case "EditFailed":
      return failed(error)
    case "NameUnknown":
      return failed(
        new McpErrors.UnknownServer({ name: error.name, nearest: Nearest.nearest(error.name, error.names) })
      )
    case "NameTaken":
      return new Failed({
        tag: "NameTaken",
        message: `${error.name} is already in ${file.name}, at ${error.at.line}:${error.at.column}`,
        hint: `--force replaces it; boocode mcp get ${error.name} shows it`
      })
    case "Foreign":
      return foreign(target, `in the words of another application (${error.shape})`)
    case "Unreadable":
      return new Failed({
        tag: "InvalidFile",
        message: `${file.name}:${error.fault.line}:${error.fault.column}: ${error.fault.detail}`,
        hint: "correct the file at that place; nothing was written"
      })
  }
}

// How values that look like secrets may stay out of a file of servers.

/** One hint for each value of an entry that looks like a secret and is written into the file as it is. */
export const secretHints = (
  name: string,
  entry: Schema.JsonObject,
  { file }: ServerFile,
  /** False when the file is left as it was for now. */
  isWritten = true
): ReadonlyArray<string> =>
  [...literals(entry["env"]), ...literals(entry["headers"])].map(([key, value]) => {
    const where = file.scope === "project" ? `${file.name}, a file of the project` : file.name
    const state = isWritten ? `is in ${where} now` : `would be in ${where}`
    return `the value of ${key} ${state}; '${suggested(name, key, value)}' takes it from the environment or .env`
  })

const literals = (values: Schema.Json | undefined): ReadonlyArray<readonly [string, string]> =>
  typeof values !== "object" || values === null || Array.isArray(values)
    ? []
    : Object.entries(values).flatMap(([key, value]) =>
      typeof value === "string" && value !== "" && SECRET.test(key) && !VARIABLE.test(value)
        ? [[key, value] as const]
        : []
    )

const SECRET = /token|key|secret|passw|pwd|auth|credential|cookie/i

/** `$${` is plain text. */
const VARIABLE = /(?<!\$)\$\{/

const suggested = (server: string, key: string, value: string): string => {
  const scheme = /^(?:Bearer|Basic|Token) /.exec(value)?.[0] ?? ""
  const words = /^authorization$/i.test(key) ? `${server}_TOKEN` : key
  return `${scheme}\${${words.toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^(?=\d)/, "_")}}`
}
