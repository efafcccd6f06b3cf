/** Installed servers over HTTP: which have another version, what an upgrade would change, and the upgrade. */
import { CurrentUser } from "@boocode/chat/CurrentUser"
import { Environment, McpConfig } from "@boocode/mcp-config"
import { type Candidate, CandidateEntry, Origin, type PublishedInput } from "@boocode/mcp-config/Published"
import { McpError, ToolPins } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import { Access } from "../access/Access.ts"
import { toolDocument } from "../api/Documents.ts"
import type { WantedUpgrade } from "../api/published/RegistryApi.ts"
import * as CandidateLines from "../published/CandidateLines.ts"
import * as InstallPlan from "../published/InstallPlan.ts"
import * as OutdatedServers from "../published/OutdatedServers.ts"
import { PublicRegistry } from "../published/PublicRegistry.ts"
import { NotInstallable } from "../published/RegistryFailure.ts"
import * as UpgradePlan from "../published/UpgradePlan.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import * as EditEntry from "./EditEntry.ts"
import * as EntryDraft from "./EntryDraft.ts"
import { EntryTrial, toolsBetween } from "./EntryTrial.ts"
import * as EntryVariables from "./EntryVariables.ts"
import * as InstallServer from "./InstallServer.ts"
import * as StandingEntry from "./StandingEntry.ts"

export const outdated = Effect.fnUntraced(function*(isAsked: boolean) {
  const installed = yield* InstallServer.installedHere
  const servers = yield* isAsked ? OutdatedServers.compare(installed) : OutdatedServers.known(installed)
  return { servers: servers.filter(OutdatedServers.isOutdated) }
})

/**
 * Writes secrets, then the entry in its new version, and starts it; what a person added to the entry stays. A dry run starts
 * both versions once in its place and compares their tools. Fails with what `EditEntry.set` fails with and with
 * `InstallFailure`.
 */
export const upgrade = Effect.fnUntraced(function*(wanted: typeof WantedUpgrade.Type) {
  const { dryRun, inputs = {}, server: name, version } = wanted
  const { isOpen } = yield* Access
  const environment = yield* Environment
  const { file, text } = yield* StandingEntry.find(name)
  const before = StandingEntry.valueOf(text ?? "{}")
  const from = before["from"]
  const origin = (typeof from === "string" ? Origin.parse(from) : null) ?? (yield* notInstalled(name))
  const { answer } = yield* PublicRegistry.use(({ server }) => server(origin.name, version ?? null))
  const candidate = yield* Effect.fromResult(UpgradePlan.sameKind(answer, before))
  const kept = CandidateEntry.valuesIn(candidate, before)
  const plan = (hasVariables: boolean) =>
    Effect.map(
      Effect.fromResult(InstallPlan.make({
        ...{ name, server: answer, candidate, values: inputs, kept, hasVariables },
        isTaken: (variable) => environment.variables[variable] !== undefined
      })),
      (made) => ({ ...made, after: UpgradePlan.merged(before, made.entry) })
    )
  const about = { server: name, name: origin.name, from: origin.version, to: answer.version, status: answer.status }
  const missing = missingOf(candidate, { ...kept, ...inputs })
  if (missing.length > 0) return { ...about, missing, change: null, standing: null }
  const { after, variables, warnings } = yield* plan(isOpen)
  const change = {
    before: shownOf(before),
    after: shownOf(after),
    runs: CandidateLines.runs(after),
    variables: Object.keys(variables),
    warnings
  }
  if (dryRun === true) {
    const trials = yield* compared(name, before, (yield* plan(false)).after, file)
    return { ...about, missing, change: { ...change, ...trials }, standing: null }
  }
  // Before anything is written.
  yield* EntryDraft.make(name, { entry: after }, text, file)
  if (!Record.isEmptyRecord(variables)) {
    const { envFile } = yield* DataFolder
    yield* EntryVariables.write(envFile, Record.map(variables, Redacted.value))
    yield* environment.refresh
  }
  yield* pinnedAnew(name)
  return { ...about, missing, change: null, standing: yield* EditEntry.set(name, { entry: after }) }
})

const notInstalled = (name: string) =>
  new NotInstallable({
    message: `${name} was not installed from a registry: its entry has no "from"`,
    hint: "change its entry by hand, or install it anew"
  })

const missingOf = (
  candidate: Candidate.Candidate,
  values: CandidateEntry.InputValues
): ReadonlyArray<PublishedInput> =>
  CandidateLines.inputsOf(candidate).filter(({ default: standard, isRequired, key }) =>
    isRequired && standard === null && (values[key] ?? "").length === 0
  )

/** Without what may be a secret. */
const shownOf = (entry: Schema.JsonObject): string => StandingEntry.shown(JSON.stringify(entry, null, 2)).text

/** The person has seen the differences, so the tools that the new version lists are what counts. */
const pinnedAnew = Effect.fnUntraced(function*(name: string) {
  const { servers } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const entry = servers.find((one) => one.name === name)
  if (entry === undefined) return
  yield* Effect.mapError(
    Effect.flatMap(ToolPins, (pins) => pins.forget(entry)),
    (reason) => new McpError({ server: name, reason })
  )
})

/** Starts the new version, then the one that stands. `tools` is null where one of them does not list its tools. */
const compared = Effect.fnUntraced(function*(
  name: string,
  before: Schema.JsonObject,
  after: Schema.JsonObject,
  file: StandingEntry.EntryFile
) {
  const started = (entry: Schema.JsonObject) =>
    Effect.flatMap(
      EntryDraft.make(name, { entry }, null, file),
      ({ server }) =>
        Effect.flatMap(CurrentUser, ({ id }) => EntryTrial.use(({ run }) => run(server, InstallPlan.LONGEST_START, id)))
    )
  const now = yield* started(after)
  // An old version that does not start any more is a reason to leave it.
  const was = yield* Effect.orElseSucceed(started(before), () => null)
  const isListed = now.server.state === "ready" && was?.server.state === "ready"
  return {
    trial: { ...now, tools: now.tools.map(toolDocument) },
    tools: isListed ? toolsBetween(was, now) : null
  }
})
