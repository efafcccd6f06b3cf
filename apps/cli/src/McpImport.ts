/** `mcp import`: the servers of other applications' files, shown, and written into a file of ours. */
import { ConfigEditor, ConfigFile } from "@boocode/mcp-config"
import { ConfigImport, type ConfigShape } from "@boocode/mcp-config/Exchange"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { tellIfApplied } from "./Connected.ts"
import { Ended, Failed, Usage } from "./Failure.ts"
import * as FileEdit from "./FileEdit.ts"
import * as ImportAdvice from "./ImportAdvice.ts"
import { type Read, report } from "./ImportReport.ts"
import * as ImportSources from "./ImportSources.ts"
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
  const { source } = given
  const isProject = target.file.scope === "project"
  const sources = source === null
    ? yield* ImportSources.everything(isProject)
    : yield* ImportSources.named(source, given.shape, isProject)
  const planned = yield* planAll(sources, target, given)
  if (source !== null) yield* checkCount(ImportAdvice.written(planned).length)
  const isWriting = source !== null && !given.isDryRun && ImportAdvice.written(planned).length > 0
  const outlook = source === null ? null : yield* FileEdit.preview(target, change(planned))
  if (isWriting) yield* FileEdit.apply(target, change(planned))
  yield* report(options, {
    ...{ target, planned, isWritten: isWriting, isListing: source === null },
    warnings: outlook === null ? [] : yield* ImportAdvice.warnings(files, target, outlook.after, planned),
    hints: source === null ? ImportAdvice.contested(planned) : ImportAdvice.hints(target, planned, isWriting)
  })
  if (isWriting) yield* tellIfApplied(options, target.file.scope)
  const isMissing = planned.some(({ error, scope }) => error !== null && (isProject || scope !== "project"))
  if (source !== null && isMissing) return yield* new Ended({ code: 1 })
})

/** To add one takes longer the more there are. */
const MOST = 500

const checkCount = (count: number) =>
  count <= MOST ? Effect.void : Effect.fail(
    new Failed({
      tag: "TooManyServers",
      message: `${count} servers would come in, and one import brings in ${MOST} at most; nothing was written`,
      hint: "copy those you need into a file of their own and import that"
    })
  )

/** The servers of the target as its file declares them; none of one that cannot be read, which an edit refuses. */
const entriesIn = Effect.fnUntraced(function*({ file }: ServerFiles.ServerFile) {
  const text = yield* Effect.result(ConfigFile.readText(file.path))
  const content = yield* ConfigFile.decode(file.path, Result.getOrElse(text, () => ""))
  return Result.match(content, { onSuccess: ({ entries }) => entries, onFailure: () => [] })
})

/** Plans each file after the others; when what there is is only shown, each application as if it were alone. */
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

/**
 * Somebody may have added a server in the meantime; only what was to be replaced is. Between two servers others have their
 * turn, so that a signal is heard.
 */
const change = (planned: ReadonlyArray<Read>): FileEdit.LongChange =>
  Effect.fnUntraced(function*(text: string, told: ConfigEditor.EditOptions) {
    let changed = text
    for (const { entry, name, outcome } of ImportAdvice.written(planned)) {
      if (entry === null) continue
      const set = outcome === "changed" ? ConfigEditor.setServer : ConfigEditor.addServer
      changed = yield* Effect.fromResult(set(changed, name, entry, told))
      yield* Effect.yieldNow
    }
    return changed
  })
