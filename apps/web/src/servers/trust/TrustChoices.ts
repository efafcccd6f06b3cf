/** The choices about a server of a project file, and how it stands, in words. Pure. */
import type { Json, TrustDetails } from "../../api/Types.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"

export interface Choice {
  readonly verb: "approve" | "reject" | "revoke"
  readonly words: string
  readonly isMain?: boolean
  /** For as long as the server runs, or for good; left out, the approval stays as it is and only tools are accepted. */
  readonly once?: boolean
}

const ACCEPT: Choice = { verb: "approve", words: texts.acceptTheseTools, isMain: true }
const ONCE: Choice = { verb: "approve", words: texts.approveOnce, once: true }
const ALWAYS: Choice = { verb: "approve", words: texts.approveAlways, once: false, isMain: true }
const REJECT: Choice = { verb: "reject", words: texts.reject, once: false }
const REVOKE: Choice = { verb: "revoke", words: texts.revoke }

export const choicesOf = ({ by, decision, seen }: TrustDetails): ReadonlyArray<Choice> => {
  if (decision === "pending") return [ONCE, ALWAYS, REJECT]
  if (decision === "rejected") return [ONCE, ALWAYS, REVOKE]
  // The part behind the dot stands for tools that wait to be accepted.
  const accept = seen.includes(".") ? [ACCEPT] : []
  if (decision === "not-needed") return accept
  // Nobody decided about a trusted publisher's server, so there is nothing to take back.
  if (by === "publisher") return [...accept, REJECT]
  return [...accept, ...(by === "once" && accept.length === 0 ? [ALWAYS] : []), REVOKE, REJECT]
}

/** The body of a decision. */
export const bodyOf = ({ once, verb }: Choice, seen: string): Json | undefined => {
  if (verb === "revoke") return undefined
  return once === undefined ? { seen } : { once, seen }
}

const BY = { always: "", once: texts.onlyThisRun, publisher: texts.publisherTrusted } as const

export const standing = ({ by, decision, file }: TrustDetails): string => {
  if (decision === "pending") return texts.notApproved(file)
  return texts.decided(file, decision, by === null ? "" : BY[by])
}
