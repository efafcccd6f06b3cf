/** Imports over HTTP: what other applications have, and what somebody pastes, goes into the data file. */
import { type ConfigEditor, EditedFile, Environment } from "@boocode/mcp-config"
import { ImportPlan, ImportSources, PastedText } from "@boocode/mcp-config/Exchange"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Access } from "../access/Access.ts"
import * as AddServer from "./AddServer.ts"
import * as EntryRules from "./EntryRules.ts"
import { importDocument, importHints } from "./ImportDocument.ts"

export interface Wanted {
  /** An application, or, where nobody else reaches this server, a file. */
  readonly source?: string
  readonly text?: string
  /** Only the servers of these names; all of them without. */
  readonly names?: ReadonlyArray<string>
  /** Whether servers that are there and differ are replaced. */
  readonly force?: boolean
  readonly dryRun?: boolean
}

/** The applications of this machine, and the servers that each alone would bring. Writes nothing. */
export const look = Effect.gen(function*() {
  const target = yield* AddServer.dataFile
  const planned = yield* ImportPlan.make(yield* ImportSources.everything(yield* here, false), target, {
    group: null,
    isReplacing: false
  })
  const hints = ImportPlan.contested(planned).map(({ applications, name }) =>
    `${name} is in ${applications.join(", ")}: that of the application you import first comes in`
  )
  return importDocument({ target, planned, isWritten: false, warnings: [], hints })
})

/** Where the person started the server. */
const here = Effect.gen(function*() {
  const { variables } = yield* Environment
  return (yield* Path.Path).resolve(variables["INIT_CWD"] ?? "")
})

/** Imports, and applies what was written. Fails with `NotOverHttp`, `UnknownHost`, `InvalidEntry` and `FileConflict`. */
export const run = Effect.fnUntraced(function*(wanted: Wanted) {
  const registry = yield* McpRegistry
  const target = yield* AddServer.dataFile
  const isWanted = wanted.dryRun !== true
  const sources = yield* sourcesOf(wanted, target)
  const planned = yield* ImportPlan.make(sources, target, { group: "", isReplacing: wanted.force === true })
  const written = ImportPlan.written(planned)
  const bound = isWanted ? yield* judged(wanted, planned) : planned
  const change = (text: string) => ImportPlan.change(bound)(text)
  const inWords = (error: ConfigEditor.Refusal | EditedFile.EditFailed) =>
    AddServer.inWords(written[0]?.name ?? "", target.name, error)
  const outlook = yield* Effect.mapError(EditedFile.preview(target, change), inWords)
  const isWritten = isWanted && written.length > 0
  if (isWritten) {
    yield* Effect.mapError(EditedFile.edit(target, change), inWords)
    yield* registry.reload
  }
  const all = yield* ImportPlan.warnings(target, outlook.after, planned)
  return importDocument({
    ...{ target, planned, isWritten },
    warnings: all.flatMap(({ warnings }) => warnings),
    hints: importHints(target, planned, isWritten, (name) => name)
  })
})

const sourcesOf = Effect.fnUntraced(function*(wanted: Wanted, target: Effect.Success<typeof AddServer.dataFile>) {
  const { names, source, text } = wanted
  const found = text === undefined ? yield* ofSource(source ?? "") : [yield* ofText(text, target.path)]
  if (names === undefined) return found
  const chosen = new Set(names)
  return found.map((one) => ({ ...one, found: Result.map(one.found, (all) => ImportSources.only(all, chosen)) }))
})

const ofSource = Effect.fnUntraced(function*(source: string) {
  const { isOpen } = yield* Access
  const applications = ImportSources.applicationsOf(source)
  const absent = ({ hint, message }: { readonly message: string; readonly hint: string }) =>
    new EntryRules.InvalidEntry({ message, hint, ...{ key: "source", line: null, column: null } })
  if (applications.length > 0) {
    return yield* Effect.mapError(ImportSources.ofApplications(yield* here, applications, false), absent)
  }
  if (!isOpen) {
    return yield* absent({ message: `${source} is no application`, hint: "paste the text of the file instead" })
  }
  return [yield* Effect.mapError(ImportSources.ofFile(yield* here, source, null), absent)]
})

/** A pasted text. Fails with `InvalidEntry` when there is no server in it. */
const ofText = Effect.fnUntraced(function*(text: string, file: string) {
  const pasted = yield* PastedText.read(text, file)
  if (pasted.servers.length > 0) return ImportSources.ofPasted(pasted)
  const [problem] = pasted.problems
  return yield* new EntryRules.InvalidEntry({
    message: problem?.message ?? "there is no server in it",
    hint: problem?.hint ?? "paste what the README of the server shows",
    ...{ key: "text", line: problem?.line ?? null, column: problem?.column ?? null }
  })
})

/** Where others reach this server, nothing comes in that could not be added over HTTP. */
const judged = Effect.fnUntraced(function*(wanted: Wanted, planned: ReadonlyArray<ImportPlan.Planned>) {
  const { isOpen } = yield* Access
  if (isOpen) return planned
  if (wanted.source !== undefined) {
    return yield* new EntryRules.NotOverHttp({
      message: "the servers of an application may not be imported over the network",
      hint: "import them on the machine itself",
      command: `boocode mcp import ${wanted.source}`
    })
  }
  for (const { entry, name } of ImportPlan.written(planned)) {
    if (entry !== null) yield* checkOne(name, entry)
  }
  return planned.map(({ plan, ...rest }): ImportPlan.Planned => ({
    ...rest,
    plan: plan === null ? null : {
      ...plan,
      servers: plan.servers.map((one) => ({ ...one, entry: one.entry === null ? null : EntryRules.marked(one.entry) }))
    }
  }))
})

const checkOne = Effect.fnUntraced(function*(name: string, entry: Schema.JsonObject) {
  const target = yield* AddServer.dataFile
  yield* Effect.fromResult(EntryRules.checkEntry(name, entry))
  yield* AddServer.checkPublic(name, entry, target)
})
