/** Deciding about a server by its name: look, approve, reject, take back. */
import {
  ApprovalNotNeeded,
  EntryChanged,
  InvalidEntry,
  McpError,
  type McpErrorReason
} from "@boocode/mcp-client/McpError"
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { McpServer } from "../lifecycle/McpServer.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import { Approvals } from "../trust/Approvals.ts"
import { ToolPins } from "../trust/ToolPins.ts"
import * as TrustDetails from "../trust/TrustDetails.ts"

/** How a decision is made. */
export interface DecisionOptions {
  /** For as long as this registry lives. Default: for good; an approval stays as it is where only tools are accepted. */
  readonly once?: boolean | undefined
  /** `seen` of the details that the person looked at; without it the entry as it stands is meant, seen or not. */
  readonly seen?: string | undefined
}

/** Decisions on servers by name. */
export interface Decisions {
  /** The details to look at before a decision. Fails with `UnknownServer`. */
  readonly trustDetails: (name: string) => Effect.Effect<TrustDetails.TrustDetails, McpError>
  /**
   * Lets a server of a project file start, and pins its tools as they are listed. Answers at once, while it is on its
   * way. Where it is approved already, only the tools are accepted that changed, and nothing changes when none did: an
   * approval for this run becomes one for good when no tool changed, or when `once` is false. Fails with `UnknownServer`, `InvalidEntry`, `EntryChanged`,
   * `DecisionNotKept`.
   */
  readonly approve: (name: string, options?: DecisionOptions) => Effect.Effect<ServerStatus, McpError>
  /** Keeps a server of a project file from starting, and stops it. Fails as `approve` does, and with `ApprovalNotNeeded`. */
  readonly reject: (name: string, options?: DecisionOptions) => Effect.Effect<ServerStatus, McpError>
  /** Forgets what was decided and pinned, and stops the server. Fails with `UnknownServer`, `ApprovalNotNeeded`, `DecisionNotKept`. */
  readonly revoke: (name: string) => Effect.Effect<ServerStatus, McpError>
}

export interface Host {
  readonly entry: (name: string) => Effect.Effect<ConfiguredServer, McpError>
  readonly server: (name: string) => Effect.Effect<McpServer["Service"], McpError>
  readonly status: (name: string) => Effect.Effect<ServerStatus, McpError>
  /** Asks again who may start. */
  readonly apply: Effect.Effect<unknown>
}

export const make = Effect.fnUntraced(function*(host: Host): Effect.fn.Return<Decisions> {
  const approvals = yield* Approvals
  const pins = yield* ToolPins

  const detailsOf = Effect.fnUntraced(function*(entry: ConfiguredServer) {
    const verdict = yield* Effect.flatMap(host.server(entry.name), (server) => server.pins)
    return TrustDetails.make(entry, yield* approvals.standing(entry), verdict)
  })
  const trustDetails = (name: string) => Effect.flatMap(host.entry(name), detailsOf)
  const looked = Effect.fnUntraced(function*(entry: ConfiguredServer, { seen }: DecisionOptions) {
    const now = yield* detailsOf(entry)
    if (seen !== undefined && seen !== now.seen) {
      return yield* failure(entry.name, new EntryChanged({ file: entry.source }))
    }
    return now
  })
  /** Fails unless there is something to decide about the entry. */
  const decidable = Effect.fnUntraced(function*({ config, declared, name, needsApproval, source }: ConfiguredServer) {
    if (!needsApproval) return yield* failure(name, new ApprovalNotNeeded({ file: source }))
    if (declared !== undefined || Result.isSuccess(config)) return
    const { hint, message } = config.failure
    return yield* failure(name, new InvalidEntry({ detail: message, try: hint }))
  })
  /** Applies what was kept, also when the caller goes away meanwhile, or when only half of it could be kept. */
  const applied = (name: string, decision: Effect.Effect<void, McpErrorReason>) =>
    Effect.mapError(decision, (reason) => failure(name, reason)).pipe(
      Effect.ensuring(host.apply),
      Effect.uninterruptible
    )

  const approve = Effect.fnUntraced(function*(name: string, options: DecisionOptions = {}) {
    // One entry from the look to the decision: the file may change at any time in between.
    const entry = yield* host.entry(name)
    const now = yield* looked(entry, options)
    if (now.decision !== "not-needed") {
      yield* decidable(entry)
      const isApproved = now.decision === "approved"
      const isNews = !isApproved || (now.by !== "always" && options.once !== true && !isAboutTools(now, options))
      // A new approval is for the tools that will be listed, not for those of the time before.
      const forgotten = isApproved ? Effect.void : pins.forget(entry)
      const decided = isNews ? approvals.decide(entry, "approved", options.once === true) : Effect.void
      yield* applied(name, Effect.andThen(forgotten, decided))
    }
    const listing = options.seen === undefined ? null : TrustDetails.listingOf(options.seen) ?? ""
    yield* Effect.flatMap(host.server(name), (server) => server.accept(listing))
    return yield* host.status(name)
  })
  const reject = Effect.fnUntraced(function*(name: string, options: DecisionOptions = {}) {
    const entry = yield* host.entry(name)
    yield* decidable(entry)
    yield* looked(entry, options)
    yield* applied(name, approvals.decide(entry, "rejected", options.once === true))
    return yield* host.status(name)
  })
  const revoke = Effect.fnUntraced(function*(name: string) {
    const entry = yield* host.entry(name)
    yield* decidable(entry)
    yield* applied(name, Effect.andThen(approvals.revoke(entry), pins.forget(entry)))
    return yield* host.status(name)
  })
  return { trustDetails, approve, reject, revoke }
})

/** A yes to tools of an approved server says nothing of how long the server may start, unless `once` is there. */
const isAboutTools = ({ seen }: TrustDetails.TrustDetails, { once }: DecisionOptions): boolean =>
  once === undefined && TrustDetails.listingOf(seen) !== null

const failure = (server: string, reason: McpErrorReason) => new McpError({ server, reason })
