/** The details of a decision: the entry as its file has it, its changes, and those of the tools. */
import type { ConfiguredServer } from "@boocode/mcp-config"
import type { Standing } from "./ApprovalStanding.ts"
import * as PinVerdict from "./PinVerdict.ts"
import type { TrustDetails } from "./TrustDetailsSchema.ts"

export type { TrustDetails } from "./TrustDetailsSchema.ts"

/** The hash of the tools that wait to be accepted, from `seen`; null when none do. */
export const listingOf = (seen: string): string | null => seen.split(".")[1] ?? null

/** Puts the details together; `standing` is null for an entry that cannot be approved. */
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
