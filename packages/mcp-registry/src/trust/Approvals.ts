/**
 * The user's decisions about the servers of project files (docs/decisions.md#decision-14-trust): kept in a file of the user,
 * bound to the whole entry, and denied until somebody said yes.
 */
import { DecisionNotKept, type McpErrorReason } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import { Admission } from "./Admission.ts"
import type { ApprovalOptions, Standing } from "./ApprovalStanding.ts"

/** The decisions on servers of project files. Without a layer none can be made, so nothing of a project starts. */
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
      Layer.provideMerge(
        Layer.effect(
          Approvals,
          Effect.flatMap(Effect.promise(() => import("./ApprovalsFile.ts")), ({ make }) => make(file, options))
        )
      ),
      Layer.provide(Digest.layerWebCrypto)
    )
}

/** Lifts the need of approval from what is approved; of everything else it says why it still waits. */
const admission = Layer.effect(
  Admission,
  Effect.map(Approvals, ({ standing }) => ({
    admit: Effect.fnUntraced(function*(entry: ConfiguredServer) {
      if (!entry.needsApproval) return entry
      const now = yield* standing(entry)
      // An entry that cannot be read cannot start, and its mistake is better news than a missing approval.
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
