/**
 * What a person decided about the servers of project files (Decision 14): kept in a file of the person's own state,
 * bound to the whole entry, and denied until somebody said yes.
 */
import type { ConfiguredServer, DeclaredEntry } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Admission } from "../Admission.ts"
import { DecisionNotKept, type McpErrorReason } from "../McpError.ts"
import * as EntryHash from "./EntryHash.ts"
import * as StateFile from "./StateFile.ts"
import * as TrustedPublishers from "./TrustedPublishers.ts"

/**
 * How an entry stands.
 *
 * @category models
 */
export interface Standing {
  /** Only entries of project files need a decision. */
  readonly decision: "not-needed" | "pending" | "approved" | "rejected"
  /** Who decided: a person for good, a person for this run, or the list of trusted publishers; null for nobody. */
  readonly by: "always" | "once" | "publisher" | null
  readonly print: EntryHash.EntryPrint
  /** What is different from the entry that was decided on last; null when there was none. */
  readonly changes: ReadonlyArray<EntryHash.FieldChange> | null
  /** Why the file of decisions does not count; null when it does. */
  readonly problem: string | null
}

/**
 * The decisions on servers of project files. Without a layer none can be made, so nothing of a project starts.
 *
 * @category references
 */
export class Approvals extends Context.Reference<{
  /** How this entry stands now; null for one that cannot be read or that a program gives. Never fails. */
  readonly standing: (entry: ConfiguredServer) => Effect.Effect<Standing | null>
  /**
   * Decides on the entry as it stands: for good, or `once` for as long as the layer lives. Does nothing for an entry that
   * needs no approval. Fails with `DecisionNotKept`.
   */
  readonly decide: (
    entry: ConfiguredServer,
    decision: "approved" | "rejected",
    once: boolean
  ) => Effect.Effect<void, McpErrorReason>
  /** Forgets every decision on the server of this name and folder. Fails with `DecisionNotKept`. */
  readonly revoke: (entry: ConfiguredServer) => Effect.Effect<void, McpErrorReason>
}>("mcp-registry/Approvals", {
  defaultValue: () => ({
    standing: () => Effect.succeed(null),
    decide: () => Effect.fail(new DecisionNotKept({ detail: "this program keeps no approvals" })),
    revoke: () => Effect.fail(new DecisionNotKept({ detail: "this program keeps no approvals" }))
  })
}) {
  /**
   * Keeps decisions in this file, readable by its owner alone, and lets the registry start what is approved. It must lie
   * in a folder that no project can write. A file that cannot be read or understood approves nothing, and says so.
   */
  static readonly layerFile = (
    file: string,
    options: ApprovalOptions = {}
  ): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
    admission.pipe(
      Layer.provideMerge(Layer.effect(Approvals, make(file, options))),
      Layer.provide(Digest.layerWebCrypto)
    )
}

/**
 * How approvals are set up.
 *
 * @category models
 */
export interface ApprovalOptions {
  /** Origins whose remote servers need no approval, for instance `https://mcp.example.com`. Default: none. */
  readonly trustedPublishers?: ReadonlyArray<string> | undefined
}

const Field = Schema.Struct({ key: Schema.String, shown: Schema.String, hash: Schema.String })

const Decision = Schema.Struct({
  server: Schema.String,
  folder: Schema.String,
  /** The declaring file, for a person who reads this. */
  file: Schema.String,
  decision: Schema.Literals(["approved", "rejected"]),
  hash: Schema.String,
  at: Schema.DateTimeUtcFromString,
  /** Holds no secret: values that may be one are hashes. */
  fields: Schema.Array(Field)
})
type Decision = typeof Decision.Type

const File = Schema.Struct({ version: Schema.Literal(1), decisions: Schema.Array(Decision) })

type Subject = Pick<Decision, "server" | "folder">

const isOf = (subject: Subject) => (decision: Subject): boolean =>
  decision.server === subject.server && decision.folder === subject.folder

const make = Effect.fnUntraced(function*(path: string, { trustedPublishers = [] }: ApprovalOptions) {
  const digest = yield* Effect.context<Digest.Digest>()
  const file = yield* StateFile.make(path, File)
  let decided: ReadonlyArray<Decision> = []

  const print = (entry: ConfiguredServer, declared: DeclaredEntry) =>
    Effect.provideContext(EntryHash.make(entry.name, declared), digest)
  const standing = Effect.fnUntraced(function*(entry: ConfiguredServer) {
    const { declared } = entry
    if (declared === undefined) return null
    const now = yield* print(entry, declared)
    if (subjectOf(entry) === null) return { ...OWN, print: now }
    const stored = yield* file.read
    const subject = { server: entry.name, folder: declared.folder }
    const once = decided.find(isOf(subject))
    const always = decisionsIn(stored).find(isOf(subject))
    const last = once ?? always
    const base = {
      print: now,
      changes: last === undefined ? null : EntryHash.changes(last.fields, now.fields),
      problem: Result.isFailure(stored) ? stored.failure.message : null
    }
    if (once?.hash === now.hash) return { ...base, decision: once.decision, by: "once" } satisfies Standing
    if (always?.hash === now.hash) return { ...base, decision: always.decision, by: "always" } satisfies Standing
    // A rejection may stand in a file that cannot be read, and another entry does not take it back.
    const isOpen = base.problem === null && last?.decision !== "rejected"
    const isTrusted = isOpen && TrustedPublishers.of(declared, trustedPublishers) !== null
    return isTrusted
      ? { ...base, decision: "approved", by: "publisher" } satisfies Standing
      : { ...base, decision: "pending", by: null } satisfies Standing
  })
  const replace = (subject: Subject, decision: Decision | null) =>
    Effect.mapError(
      file.change((content) => {
        const before = decisionsIn(content)
        const others = before.filter((one) => !isOf(subject)(one))
        const after = decision === null ? others : [...others, decision]
        return decision === null && others.length === before.length ? null : { version: 1, decisions: after }
      }),
      ({ message }) => new DecisionNotKept({ detail: message })
    )
  const decide = Effect.fnUntraced(
    function*(entry: ConfiguredServer, decision: Decision["decision"], once: boolean) {
      const declared = subjectOf(entry)
      if (declared === null) return
      const { fields, hash } = yield* print(entry, declared)
      const subject = { server: entry.name, folder: declared.folder }
      const made = { ...subject, file: declared.file, decision, hash, at: yield* DateTime.now, fields }
      if (!once) yield* replace(subject, made)
      decided = [...decided.filter((one) => !isOf(subject)(one)), ...(once ? [made] : [])]
    }
  )
  const revoke = Effect.fnUntraced(function*(entry: ConfiguredServer) {
    const declared = subjectOf(entry)
    if (declared === null) return
    const subject = { server: entry.name, folder: declared.folder }
    yield* replace(subject, null)
    decided = decided.filter((one) => !isOf(subject)(one))
  })
  return Approvals.of({ standing, decide, revoke })
})

const OWN = { decision: "not-needed", by: null, changes: null, problem: null } as const

/** An entry that cannot be read has nothing that could be approved. */
const subjectOf = ({ declared }: ConfiguredServer): DeclaredEntry | null =>
  declared?.scope === "project" ? declared : null

const decisionsIn = (content: StateFile.Content<typeof File.Type>): ReadonlyArray<Decision> =>
  Result.getOrElse(content, () => null)?.decisions ?? []

/** Lifts the need of approval from what is approved; of everything else it says why it still waits. */
const admission = Layer.effect(
  Admission,
  Effect.map(Approvals, ({ standing }) => ({
    admit: Effect.fnUntraced(function*(entry: ConfiguredServer) {
      if (!entry.needsApproval) return entry
      const now = yield* standing(entry)
      // What cannot be read cannot start either, and why is better news than that somebody should approve it.
      if (now === null) return { ...entry, needsApproval: Result.isSuccess(entry.config) }
      if (now.decision === "approved") return { ...entry, needsApproval: false }
      const isRejected = now.problem === null && now.decision === "rejected"
      return { ...entry, isRejected, warnings: [...entry.warnings, ...remarks(now)] }
    })
  }))
)

const remarks = ({ changes, problem }: Standing): ReadonlyArray<string> => {
  if (problem !== null) return [`nothing counts as approved: ${problem}`]
  const keys = changes?.map(({ key }) => key) ?? []
  return keys.length === 0 ? [] : [`it is not the entry that was decided on: ${keys.join(", ")} changed`]
}
