/** `mcp approve`, `reject` and `revoke`: decisions about servers of project files, and about tools that changed. */
import { type ConfiguredServer, McpConfig } from "@boocode/mcp-config"
import { Approvals, McpErrors, McpRegistry, type ServerState, ToolPins, trustDetails } from "@boocode/mcp-registry"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Backend } from "../backend/Backend.ts"
import * as Remote from "../backend/Remote.ts"
import { atServer, configured, connected, place, runningServer } from "../backend/VerbContext.ts"
import { trustLines } from "../lines/TrustLines.ts"
import { type Options, serverName, switchFlag, type Target, targetFlags, verb } from "../options/Options.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { Failed, failed } from "../terminal/Failure.ts"
import { counted, oneLine, Output } from "../terminal/Output.ts"

interface Decision {
  readonly verb: "approve" | "reject" | "revoke"
  readonly name: string
  readonly once: boolean
  readonly isDryRun: boolean
}

const deciding = (word: "approve" | "reject", outcome: string, description: string) =>
  Command.make(
    word,
    {
      name: serverName,
      once: switchFlag(
        "once",
        "Only until the running server ends; without a running server approve is for this command only"
      ),
      isDryRun: switchFlag("dry-run", `Show what would be ${outcome}, and decide nothing`),
      ...targetFlags
    },
    ({ isDryRun, name, once, ...target }) =>
      verb((options) => decide(options, target, { verb: word, name, once, isDryRun }))
  ).pipe(Command.withDescription(description))

export const approve = deciding(
  "approve",
  "approved",
  "Let a server of a project file start, or accept the tools that changed since they were pinned"
)

export const reject = deciding("reject", "rejected", "Keep a server of a project file from starting")

export const revoke = Command.make(
  "revoke",
  { name: serverName, ...targetFlags },
  ({ name, ...target }) =>
    verb((options) => decide(options, target, { verb: "revoke", name, once: false, isDryRun: false }))
).pipe(
  Command.withDescription("Forget what was decided about a server of a project file")
)

const decide = Effect.fnUntraced(function*(options: Options, target: Target, decision: Decision) {
  const url = yield* runningServer(options, target)
  const there = url === null ? null : yield* remotely(decision).pipe(
    // A running server does not read the files of a project that this person may be in.
    Effect.catchIf((error) => error.tag === "UnknownServer" && target.url === null, () => Effect.succeed(null)),
    Effect.mapError(Remote.plainly),
    atServer(url)
  )
  const details = there ?? (yield* locally(options, decision))
  yield* Output.use(({ document, lines, paint }) =>
    options.json ? document(details) : lines(trustLines(details, decision.isDryRun, paint))
  )
})

/** The decision as it is now, with the changed tools as they were before it. */
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
  return details ?? (yield* connected(options, accepted(decision), decision.name, isTrial(decision)))
})

/** `approve --once` without a running server: the server starts for this command, and nothing is kept of it. */
const isTrial = ({ isDryRun, once }: Decision): boolean => once && !isDryRun

const entryOf = Effect.fnUntraced(function*(name: string) {
  const { servers } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const entry = servers.find((one) => one.name === name)
  return entry ?? (yield* ErrorHints.unknownServer(name, servers.map((one) => one.name)))
})

/** Fails unless there is something to decide about the entry. */
const decidable = Effect.fnUntraced(function*({ config, declared, needsApproval, source }: ConfiguredServer) {
  if (!needsApproval) return yield* failed(new McpErrors.ApprovalNotNeeded({ file: source }))
  if (declared === undefined && Result.isFailure(config)) return yield* failed(config.failure)
})

/** Writes a decision where every later command and server finds it. */
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

/** Accepts the tools of a server, or tries the server for this command. Either way the server starts and lists its tools. */
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
      yield* output.notes([`${oneLine(name)} is ${state}, so its tools were not checked`])
    } else if (!isDryRun) yield* registry.approve(name, { seen: before.seen })
    return before
  })
  return yield* Effect.mapError(decided, failed)
})

const trialWords = (name: string, state: ServerState, tools: number): string =>
  `${oneLine(name)} is ${state}${state === "ready" ? ` with ${counted(tools, "tool")}` : ""}, ` +
  "and stops when this command ends; no approval was kept and no tool accepted"
