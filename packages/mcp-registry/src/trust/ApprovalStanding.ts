/** The decision about an entry, and how approvals are set up. */
import type * as EntryHash from "./EntryHash.ts"

/** How an entry stands. */
export interface Standing {
  /** Only entries of project files need a decision. */
  readonly decision: "not-needed" | "pending" | "approved" | "rejected"
  /** The decider: a person for good, a person for this run, or the list of trusted publishers; null for nobody. */
  readonly by: "always" | "once" | "publisher" | null
  readonly print: EntryHash.EntryPrint
  /** The differences to the entry that was decided on last; null when there was none. */
  readonly changes: ReadonlyArray<EntryHash.FieldChange> | null
  /** Why the file of decisions does not count; null when it does. */
  readonly problem: string | null
}

/** How approvals are set up. */
export interface ApprovalOptions {
  /** Origins whose remote servers need no approval, for instance `https://mcp.example.com`. Default: none. */
  readonly trustedPublishers?: ReadonlyArray<string> | undefined
}
