/** Plans an import of several files into one file: the report, and the change that does it. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as ConfigEditor from "../edit/ConfigEditor.ts"
import type { InvalidFile } from "../model/McpConfigError.ts"
import * as ConfigFile from "../read/ConfigFile.ts"
import type { Candidate } from "../read/ConfigFiles.ts"
import * as ConfigImport from "./ConfigImport.ts"
import type { ImportSource } from "./ImportSources.ts"
import * as ImportSources from "./ImportSources.ts"
import * as SecretHints from "./SecretHints.ts"

/** One file that was read, and what would come of it. */
export interface Planned extends Pick<ImportSource, "application" | "scope" | "file" | "shape"> {
  /** Null for a file that cannot be read. */
  readonly plan: ConfigImport.Plan | null
  readonly error: InvalidFile | null
}

/** How to import. */
export interface PlanOptions {
  /** Whether servers that are there and differ are replaced. An example as it was shipped is replaced in any case. */
  readonly isReplacing: boolean
  /** Null where all files belong together; else each application is planned as if it were alone. */
  readonly group: string | null
}

/** Plans one file after the other: of a name that several have, the first counts. Never fails. */
export const make = Effect.fnUntraced(function*(
  sources: ReadonlyArray<ImportSource>,
  target: Candidate,
  { group, isReplacing }: PlanOptions
) {
  const existing = yield* entriesIn(target)
  const home = (yield* Path.Path).dirname(target.path)
  const seen = new Map<string, Set<string>>()
  return sources.map((source): Planned => {
    if (Result.isFailure(source.found)) return { ...source, plan: null, error: source.found.failure }
    const key = group ?? source.application?.id ?? ""
    const names = seen.get(key) ?? new Set()
    seen.set(key, names)
    const found = ImportSources.withoutSeen(source.found.success, names)
    for (const server of found.servers) names.add(server.key)
    const { folder } = source
    const start = folder === null ? "unknown" : folder === home ? "same" : { folder }
    const isHolding = source.scope === "project" && target.scope !== "project"
    const plan = ConfigImport.plan(found, existing, { isReplacing, start, isHolding })
    return { ...source, plan, error: null }
  })
})

/** The entries of the target without untouched examples; none when it cannot be read, which the edit reports. */
const entriesIn = Effect.fnUntraced(function*({ path }: Candidate) {
  const text = Result.getOrElse(yield* Effect.result(ConfigFile.readText(path)), () => "")
  const examples = ConfigEditor.examples(text, { bare: path.endsWith(".mcprc") })
  return Result.match(yield* ConfigFile.decode(path, text), {
    onSuccess: ({ entries }) => entries.filter(({ name }) => !examples.includes(name)),
    onFailure: () => []
  })
})

/** The servers that are written, or would be. */
export const written = (planned: ReadonlyArray<Planned>): ReadonlyArray<ConfigImport.Incoming> =>
  planned.flatMap(({ plan }) => plan?.servers ?? []).filter(({ isWritten }) => isWritten)

/** The change of the target. Replaces only planned entries: somebody may have added a server since. */
export const change = (planned: ReadonlyArray<Planned>) => (text: string, options: ConfigEditor.EditOptions = {}) =>
  ConfigEditor.putServers(
    text,
    written(planned).flatMap(({ entry, name, outcome }) =>
      entry === null ? [] : [{ name, entry, isNew: outcome !== "changed" }]
    ),
    options
  )

/** Everything that keeps a new server of the changed text from working. */
export const warnings = Effect.fnUntraced(function*(target: Candidate, text: string, planned: ReadonlyArray<Planned>) {
  const names = new Set(written(planned).map(({ name }) => name))
  const { servers } = yield* ConfigFile.fromText(target, text)
  const entries = Result.match(yield* ConfigFile.decode(target.path, text), {
    onSuccess: (content) => content.entries,
    onFailure: () => []
  })
  return servers.filter(({ name }) => names.has(name)).map((server) => {
    // Remarks about keys were reported at their place in the other file.
    const remarks = entries.find(({ name }) => name === server.name)?.remarks.length ?? 0
    const first = Result.isFailure(server.config) ? [server.config.failure.message] : []
    return { name: server.name, warnings: [...new Set([...first, ...server.warnings.slice(remarks)])] }
  })
})

/** Hints about secrets in servers that are written, or would be. */
export const secretHints = (
  target: Candidate,
  planned: ReadonlyArray<Planned>,
  isWritten: boolean
): ReadonlyArray<string> =>
  written(planned).flatMap(({ entry, name }) => entry === null ? [] : SecretHints.of(name, entry, target, isWritten))

/** Names that several applications have: only one can come in. */
export const contested = (
  planned: ReadonlyArray<Planned>
): ReadonlyArray<{ readonly name: string; readonly applications: ReadonlyArray<string> }> => {
  const all = planned.flatMap(({ application, plan }) =>
    application === null || plan === null
      ? []
      : plan.servers.filter(({ outcome }) => outcome === "added").map(({ name }) => ({ name, id: application.id }))
  )
  return [...Map.groupBy(all, ({ name }) => name)].flatMap(([name, some]) =>
    some.length < 2 ? [] : [{ name, applications: some.map(({ id }) => id) }]
  )
}
