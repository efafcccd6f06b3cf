/** The report of an import as a document: `mcp import --json`, and what the HTTP API answers. */
import type { ConfigFiles } from "@boocode/mcp-config"
import { type ConfigImport, type ConfigShape, ImportPlan } from "@boocode/mcp-config/Exchange"
import { shownProgram } from "./ShownProgram.ts"

export interface Imported {
  readonly target: ConfigFiles.Candidate
  readonly planned: ReadonlyArray<ImportPlan.Planned>
  readonly isWritten: boolean
  readonly warnings: ReadonlyArray<string>
  readonly hints: ReadonlyArray<string>
}

export const importDocument = ({ hints, isWritten, planned, target, warnings }: Imported) => ({
  target: { source: target.name, scope: target.scope },
  isWritten,
  sources: planned.map(({ application, error, file, plan, scope, shape }) => ({
    application: application?.id ?? null,
    file,
    scope,
    shape,
    servers: plan?.servers.map(serverOf) ?? [],
    notes: plan?.notes.map(noteOf) ?? [],
    error: error === null ? null : { _tag: error._tag, message: error.message, hint: error.hint }
  })),
  warnings,
  hints
})

const serverOf = (server: ConfigImport.Incoming) => ({
  name: server.name,
  outcome: server.outcome,
  /** Whether it is written, or with `--dry-run` would be. */
  written: server.isWritten,
  enabled: server.enabled,
  /** Whether it was enabled in its file, and is written disabled because that file is a project's. */
  held: server.isHeld,
  transport: server.transport,
  ...shownProgram(server.entry ?? {}),
  differences: server.differences,
  notes: server.notes.map(noteOf)
})

/** `matters` is false for labels and the like: the server behaves no differently for them. */
const noteOf = ({ at, detail, key, matters }: ConfigShape.Note) => ({ ...at, key, detail, matters })

export type ImportDocument = ReturnType<typeof importDocument>

/** Hints about what was held back and about secrets. `isWritten` is false for a preview. */
export const importHints = (
  target: ConfigFiles.Candidate,
  planned: ReadonlyArray<ImportPlan.Planned>,
  isWritten: boolean,
  shown: (name: string) => string
): ReadonlyArray<string> => [
  ...ImportPlan.written(planned).filter(({ isHeld }) => isHeld).map(({ name }) =>
    `${shown(name)} is from a file of the project, so it comes in with "enabled": false: read the entry, then ` +
    `boocode mcp enable ${shown(name)}`
  ),
  ...ImportPlan.secretHints(target, planned, isWritten)
]
