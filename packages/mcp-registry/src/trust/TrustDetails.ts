/**
 * What a person looks at before a decision: the entry as its file has it, what changed, and what became of the tools.
 */
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Schema from "effect/Schema"
import type { Standing } from "./Approvals.ts"
import * as EntryHash from "./EntryHash.ts"
import * as PinVerdict from "./PinVerdict.ts"
import * as ToolDifference from "./ToolDifference.ts"

/**
 * How a server stands, and what a person has to know to decide about it. Holds no secret.
 *
 * @category schemas
 */
export const TrustDetails = Schema.Struct({
  server: Schema.String,
  /** The declaring file, absolute; for an entry that a program gives or that cannot be read, what the status calls it. */
  file: Schema.String,
  decision: Schema.Literals(["not-needed", "pending", "approved", "rejected"]),
  by: Schema.NullOr(Schema.Literals(["always", "once", "publisher"])),
  /** SHA-256 of the entry; null when there is nothing that could be approved. */
  hash: Schema.NullOr(Schema.String),
  /** Variables are not filled in; of values that may be secrets only the names of their variables are shown. */
  entry: Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.String })),
  /** What is different from the entry that was decided on last; null when there was none. */
  changes: Schema.NullOr(Schema.Array(EntryHash.FieldChange)),
  /** Why decisions that were made do not count. */
  problem: Schema.NullOr(Schema.String),
  /** What is different from the tools that were pinned; null when nothing is. */
  tools: Schema.NullOr(ToolDifference.ToolDifference),
  /** Stands for all of this: a decision that is given it fails when something changed since. */
  seen: Schema.String
})

/**
 * How a server stands, and what a person has to know to decide about it.
 *
 * @category models
 */
export type TrustDetails = typeof TrustDetails.Type

/** The hash of the tools that wait to be accepted, from `seen`; null when none do. @category getters */
export const listingOf = (seen: string): string | null => seen.split(".")[1] ?? null

/** Puts the details together; `standing` is null for an entry that cannot be approved. @category constructors */
export const make = (
  entry: ConfiguredServer,
  standing: Standing | null,
  verdict: Pick<PinVerdict.PinVerdict, "accept" | "difference" | "hash"> = PinVerdict.UNPINNED
): TrustDetails => ({
  server: entry.name,
  file: entry.declared?.file ?? entry.source,
  decision: standing?.decision ?? (entry.needsApproval ? "pending" : "not-needed"),
  by: standing?.by ?? null,
  hash: standing?.print.hash ?? null,
  entry: standing?.print.fields.map(({ key, shown }) => ({ key, value: shown })) ?? [],
  changes: standing?.decision === "not-needed" ? null : standing?.changes ?? null,
  problem: standing?.problem ?? null,
  tools: verdict.difference,
  seen: [standing?.print.hash ?? "", ...(verdict.accept === null ? [] : [verdict.hash ?? ""])].join(".")
})
