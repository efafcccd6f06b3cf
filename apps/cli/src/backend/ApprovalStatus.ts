/** Whether entries of project files are approved: by a kept decision, or by one for the run of a running server. */
import type { ConfiguredServer } from "@boocode/mcp-config"
import { Approvals } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type { DataLocation } from "../options/DataLocation.ts"
import { Backend } from "./Backend.ts"
import { Remote } from "./Remote.ts"

export type Approval = {
  readonly decision: "pending" | "approved" | "rejected"
  /** A person for good, a person for this run, or the list of trusted publishers; null for nobody. */
  readonly by: "always" | "once" | "publisher" | null
  /** The keys that changed since the last decision. */
  readonly changed: ReadonlyArray<string>
}

/** The kept decision about an entry; null for one that needs no approval, and for one that cannot be read. Starts nothing. */
export const kept = Effect.fnUntraced(function*(where: DataLocation, entry: ConfiguredServer) {
  if (!entry.needsApproval) return null
  const { trust } = yield* Backend
  return yield* Effect.provide(Approvals.use((approvals) => approvals.standing(entry)), trust(where))
})

/** The decision in force: one for the run of a running server about this very entry wins over the kept one. */
export const current = Effect.fnUntraced(function*(where: DataLocation, entry: ConfiguredServer) {
  const status = yield* kept(where, entry)
  if (status === null || status.decision === "not-needed") return null
  const there = yield* Effect.orElseSucceed(ofRunningServer(where, entry.name), () => null)
  const isForRun = there !== null && there.by === "once" && there.hash === status.print.hash
  return {
    decision: !isForRun ? status.decision : there.decision === "rejected" ? "rejected" : "approved",
    by: isForRun ? "once" : status.by,
    changed: isForRun ? [] : status.changes?.map(({ key }) => key) ?? []
  } satisfies Approval
})

const ofRunningServer = Effect.fnUntraced(function*(where: DataLocation, name: string) {
  const backend = yield* Backend
  const url = yield* backend.running(where)
  if (url === null) return null
  const asked = Remote.use(({ api, quick }) => quick(api.servers.trust({ params: { name } })))
  return yield* Effect.provide(asked, backend.remote(url))
})
