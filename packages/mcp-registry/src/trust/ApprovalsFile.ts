/** Decisions in a file. */
import { DecisionNotKept } from "@boocode/mcp-client/McpError"
import * as StateFile from "@boocode/mcp-client/StateFile"
import type { ConfiguredServer, DeclaredEntry } from "@boocode/mcp-config"
import type * as Digest from "effect/crypto/Digest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ApprovalOptions, Standing } from "./ApprovalStanding.ts"
import * as EntryHash from "./EntryHash.ts"
import * as TrustedPublishers from "./TrustedPublishers.ts"

type Subject = Pick<Decision, "server" | "folder">

const isOf = (subject: Subject) => (decision: Subject): boolean =>
  decision.server === subject.server && decision.folder === subject.folder

/** Keeps decisions in this file, as `Approvals.layerFile` says. */
export const make = Effect.fnUntraced(function*(path: string, { trustedPublishers = [] }: ApprovalOptions) {
  const digest = yield* Effect.context<Digest.Digest>()
  const file = yield* StateFile.make(path, DecisionFile)
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
  return { standing, decide, revoke }
})

const OWN = { decision: "not-needed", by: null, changes: null, problem: null } as const

/** An entry that cannot be read has nothing that could be approved. */
const subjectOf = ({ declared }: ConfiguredServer): DeclaredEntry | null =>
  declared?.scope === "project" ? declared : null

const decisionsIn = (content: StateFile.Content<typeof DecisionFile.Type>): ReadonlyArray<Decision> =>
  Result.getOrElse(content, () => null)?.decisions ?? []

const Field = Schema.Struct({ key: Schema.String, shown: Schema.String, hash: Schema.String })

/** One decision. */
export const Decision = Schema.Struct({
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
export type Decision = typeof Decision.Type

export const DecisionFile = Schema.Struct({ version: Schema.Literal(1), decisions: Schema.Array(Decision) })
