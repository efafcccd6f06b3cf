/** How entries of project files stand: by what is kept for this person, and by what a running server was told for its run. */
import type { ConfiguredServer } from "@boocode/mcp-config"
import { Approvals } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Place } from "../options/Place.ts"
import { Backend } from "./Backend.ts"
import { Remote } from "./Remote.ts"

export const Approval = Schema.Struct({
  decision: Schema.Literals(["pending", "approved", "rejected"]),
  /** Who decided: a person for good, a person for this run, or the list of trusted publishers; null for nobody. */
  by: Schema.NullOr(Schema.Literals(["always", "once", "publisher"])),
  /** What changed since it was decided on last. */
  changed: Schema.Array(Schema.String)
})
export type Approval = typeof Approval.Type

/** Null for an entry that needs no approval, and for one that cannot be read. Starts nothing. */
export const kept = Effect.fnUntraced(function*(where: Place, entry: ConfiguredServer) {
  if (!entry.needsApproval) return null
  const { trust } = yield* Backend
  const standing = Approvals.use((approvals) => approvals.standing(entry))
  return yield* Effect.provide(standing, trust(where))
})

/** The same; what a running server was told about this very entry for its run goes before what is kept. */
export const now = Effect.fnUntraced(function*(where: Place, entry: ConfiguredServer) {
  const standing = yield* kept(where, entry)
  if (standing === null || standing.decision === "not-needed") return null
  const here: Approval = {
    decision: standing.decision,
    by: standing.by,
    changed: standing.changes?.map(({ key }) => key) ?? []
  }
  const there = yield* Effect.orElseSucceed(running(where, entry.name), () => null)
  if (there === null || there.by !== "once" || there.hash !== standing.print.hash) return here
  return {
    decision: there.decision === "rejected" ? "rejected" : "approved",
    by: "once",
    changed: []
  } satisfies Approval
})

const running = Effect.fnUntraced(function*(where: Place, name: string) {
  const backend = yield* Backend
  const url = yield* backend.running(where)
  if (url === null) return null
  const asked = Remote.use(({ api, quick }) => quick(api.servers.trust({ params: { name } })))
  return yield* Effect.provide(asked, backend.remote(url))
})
