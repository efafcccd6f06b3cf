/** `mcp approve`, `reject` and `revoke`: at the running server that has the server, else in what is kept for this person. */
import { type ConfiguredServer, McpConfig, Nearest } from "@boocode/mcp-config"
import {
  Approvals,
  McpErrors,
  McpRegistry,
  type ServerState,
  ToolPins,
  type TrustDetails,
  trustDetails
} from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Backend } from "../backend/Backend.ts"
import { bothTargets, configured, connected, found, place } from "../backend/Connected.ts"
import * as Remote from "../backend/Remote.ts"
import * as SingleServerConfig from "../backend/SingleServerConfig.ts"
import { trustLines } from "../lines/TrustLines.ts"
import type { Options, Target } from "../options/Options.ts"
import { Failed, failed } from "../terminal/Failure.ts"
import { oneLine, Output } from "../terminal/Output.ts"

export interface Decision {
  readonly verb: "approve" | "reject" | "revoke"
  readonly name: string
  readonly once: boolean
  /** Shows, and decides nothing. */
  readonly isDryRun: boolean
}

export const decide = Effect.fnUntraced(function*(options: Options, target: Target, decision: Decision) {
  const backend = yield* Backend
  if (target.isLocal && target.url !== null) return yield* bothTargets
  const url = target.isLocal ? null : target.url ?? (yield* found(options))
  const there = url === null ? null : yield* remotely(decision).pipe(
    // It reads fewer files than a person does who stands in a project.
    Effect.catchIf((error) => error.tag === "UnknownServer" && target.url === null, () => Effect.succeed(null)),
    Effect.mapError(Remote.plainly),
    Effect.provide(backend.remote(url))
  )
  yield* show(options, decision, there ?? (yield* locally(options, decision)))
})

const show = Effect.fnUntraced(function*(options: Options, { isDryRun }: Decision, details: TrustDetails) {
  const output = yield* Output
  yield* options.json ? output.document(details) : output.lines(trustLines(details, isDryRun, output.paint))
})

/** What was decided about, as it stands now: the tools that were accepted are shown as they were looked at. */
const remotely = Effect.fnUntraced(function*({ isDryRun, name, once, verb }: Decision) {
  const { api, quick } = yield* Remote.Remote
  const look = quick(api.servers.trust({ params: { name } }))
  const before = yield* look
  if (isDryRun) return before
  // Left out, an approval for this run stays one when only its tools are accepted.
  const payload = { ...(once ? { once } : {}), seen: before.seen }
  yield* verb === "revoke"
    ? quick(api.servers.revoke({ params: { name } }))
    : quick(api.servers[verb]({ params: { name }, payload }))
  return { ...(yield* look), tools: before.tools }
})

const locally = Effect.fnUntraced(function*(options: Options, decision: Decision) {
  const backend = yield* Backend
  const where = yield* place(options)
  const body = Effect.gen(function*() {
    const entry = yield* entryOf(decision.name)
    const standing = yield* Effect.flatMap(Approvals, (approvals) => approvals.standing(entry))
    const isKept = standing?.decision === "not-needed" || standing?.by === "always" && standing.decision === "approved"
    if (decision.verb === "approve" && isKept) return null
    if (!decision.isDryRun) {
      yield* decidable(entry)
      if (decision.once && decision.verb === "approve") return null
      yield* kept(entry, decision, standing?.decision === "approved")
    }
    return trustDetails(entry, yield* Effect.flatMap(Approvals, (approvals) => approvals.standing(entry)))
  })
  const details = yield* configured(where, Effect.provide(body, backend.trust(where)))
  return details ?? (yield* connected(
    options,
    (backend, where) =>
      Layer.provide(
        backend.registry(where, options.serverLog, isTrial(decision)),
        SingleServerConfig.layer(decision.name)
      ),
    accepted(decision)
  ))
})

/** `approve --once` without a running server: the server starts for this command, and nothing is kept of it. */
const isTrial = ({ isDryRun, once }: Decision): boolean => once && !isDryRun

const entryOf = Effect.fnUntraced(function*(name: string) {
  const { servers } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const entry = servers.find((one) => one.name === name)
  if (entry !== undefined) return entry
  return yield* failed(
    new McpErrors.UnknownServer({ name, nearest: Nearest.nearest(name, servers.map((one) => one.name)) })
  )
})

/** Fails unless there is something to decide about the entry. */
const decidable = Effect.fnUntraced(function*({ config, declared, needsApproval, source }: ConfiguredServer) {
  if (!needsApproval) return yield* failed(new McpErrors.ApprovalNotNeeded({ file: source }))
  if (declared === undefined && Result.isFailure(config)) return yield* failed(config.failure)
})

/** Keeps a decision where the next command and the next server find it. */
const kept = Effect.fnUntraced(function*(
  entry: ConfiguredServer,
  { name, once, verb }: Decision,
  wasApproved: boolean
) {
  if (once) return yield* noRun(name)
  const approvals = yield* Approvals
  const { forget } = yield* ToolPins
  if (!wasApproved || verb === "revoke") yield* Effect.mapError(forget(entry), failed)
  yield* Effect.mapError(
    verb === "revoke"
      ? approvals.revoke(entry)
      : approvals.decide(entry, verb === "approve" ? "approved" : "rejected", false),
    failed
  )
})

const noRun = (name: string) =>
  new Failed({
    tag: "NoServer",
    message: `--once lasts as long as a server runs, and none runs that has ${oneLine(name)}`,
    hint: "leave --once out, or name the server with --url"
  })

/** About the tools of a server that may start as it is, or lets one start for this command: either way it has to list them. */
const accepted = Effect.fnUntraced(function*(decision: Decision) {
  const { isDryRun, name, once } = decision
  const output = yield* Output
  const registry = yield* McpRegistry
  const decided = Effect.gen(function*() {
    const asked = yield* registry.trustDetails(name)
    const mayStart = asked.decision === "approved" || asked.decision === "not-needed"
    if (isTrial(decision) && !mayStart) yield* registry.approve(name, { once, seen: asked.seen })
    const { state, tools } = yield* registry.settledServer(name)
    const before = yield* registry.trustDetails(name)
    if (isTrial(decision)) yield* output.notes([trialWords(name, state, tools)])
    else if (state !== "ready") {
      yield* output.notes([`${oneLine(name)} is ${state}, so its tools were not looked at`])
    } else if (!isDryRun) yield* registry.approve(name, { seen: before.seen })
    return before
  })
  return yield* Effect.mapError(decided, failed)
})

const trialWords = (name: string, state: ServerState, tools: number): string =>
  `${oneLine(name)} is ${state}${state === "ready" ? ` with ${tools} ${tools === 1 ? "tool" : "tools"}` : ""}, ` +
  "and is stopped as this command ends; no approval was kept and no tool accepted"
