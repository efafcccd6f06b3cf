/** `mcp outdated` and `mcp upgrade`: what was installed from a registry, compared with what it has now. */
import * as InstalledServers from "@boocode/chat-server/published/InstalledServers"
import type * as InstallPlan from "@boocode/chat-server/published/InstallPlan"
import * as OutdatedServers from "@boocode/chat-server/published/OutdatedServers"
import { PublicRegistry } from "@boocode/chat-server/published/PublicRegistry"
import * as UpgradePlan from "@boocode/chat-server/published/UpgradePlan"
import { ConfigEditor, ConfigFile, HiddenValues } from "@boocode/mcp-config"
import { CandidateEntry } from "@boocode/mcp-config/Published"
import { ToolPins } from "@boocode/mcp-registry"
import * as ToolDifference from "@boocode/mcp-registry/ToolDifference"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Backend } from "../backend/Backend.ts"
import { place } from "../backend/VerbContext.ts"
import * as EditedServers from "../edit/EditedServers.ts"
import * as FileChange from "../edit/FileChange.ts"
import * as ServerFiles from "../edit/ServerFiles.ts"
import * as TextDifference from "../lines/TextDifference.ts"
import { differenceLines } from "../lines/TrustLines.ts"
import type { Options } from "../options/Options.ts"
import { Ended, Failed, failed, Usage } from "../terminal/Failure.ts"
import { oneLine, Output, type Paint } from "../terminal/Output.ts"
import * as InputQuestions from "./InputQuestions.ts"
import * as Installing from "./Installing.ts"
import * as PublishedLines from "./PublishedLines.ts"
import * as TriedEntry from "./TriedEntry.ts"

/** Ends with 1 when there is another version of some server, and with 2 when the registry cannot tell. */
export const outdated = (options: Options) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const output = yield* Output
      const all = (yield* Effect.forEach(files.all, installedIn)).flat()
      const servers = yield* Effect.catchTag(
        OutdatedServers.compare(all),
        "RegistryUnreachable",
        ({ hint, message }) => Effect.fail(new Usage({ message, hint }))
      )
      const others = servers.filter(OutdatedServers.isOutdated)
      if (options.json) yield* output.document({ servers: servers.map((one) => ({ ...one })) })
      else {
        yield* output.lines(
          others.length > 0 ? others.map((one) => outdatedLine(one, output.paint)) : [
            servers.length === 0
              ? "no server was installed from a registry"
              : "every installed server is of the latest version"
          ]
        )
      }
      if (others.length > 0) return yield* new Ended({ code: 1 })
    })
  )

const outdatedLine = ({ latest, name, server, status, version }: OutdatedServers.Compared, paint: Paint): string => {
  const change = latest === null || latest === version ? version : `${version} → ${oneLine(latest)}`
  const state = status === "active" ? "" : `  ${paint.careful(status === "unknown" ? "not in the registry" : status)}`
  return `${paint.bold(oneLine(server))}  ${change}  ${paint.dim(name)}${state}`
}

const installedIn = ({ file }: ServerFiles.ServerFile) =>
  ConfigFile.readText(file.path).pipe(
    Effect.map(InstalledServers.inText),
    // Of a file that is not there, or cannot be read, other verbs tell.
    Effect.orElseSucceed((): ReadonlyArray<InstalledServers.InstalledServer> => [])
  )

export interface Given {
  readonly name: string
  readonly version: string | null
  readonly set: ReadonlyArray<string>
  readonly isDryRun: boolean
  readonly isSure: boolean
  readonly isUntested: boolean
}

/** Shows the differences of entry and tools, then writes the entry. What a person added to it stays. */
export const upgrade = (options: Options, given: Given) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const output = yield* Output
      const { name } = given
      const values = yield* InputQuestions.given(given.set)
      const target = yield* ServerFiles.holding(files, name, null)
      const installed = (yield* installedIn(target)).find(({ server }) => server === name) ??
        (yield* notInstalled(name))
      const registry = yield* PublicRegistry
      const { answer: server, keptAt } = yield* Effect.mapError(
        registry.server(installed.origin.name, given.version),
        failed
      )
      const { entry: before, origin } = installed
      if (server.version === origin.version && given.set.length === 0) {
        return yield* output.lines([`${oneLine(name)} is ${server.name} ${server.version} already`])
      }
      yield* output.notes(PublishedLines.serverLines(server, { registry: registry.address, keptAt }, output.notePaint))
      const candidate = yield* Effect.mapError(Effect.fromResult(UpgradePlan.sameKind(server, before)), failed)
      const kept = CandidateEntry.valuesIn(candidate, before)
      const all = yield* InputQuestions.completed(candidate, values, { ...given, kept })
      const plan = yield* Installing.planned(server, candidate, name, all, kept)
      const after = UpgradePlan.merged(before, plan.entry)
      yield* output.lines(changeLines(name, before, after, output.paint))
      yield* output.notes(
        plan.warnings.map((warning) => `${output.notePaint.careful("warning")}  ${oneLine(warning, 400)}`)
      )
      if (given.isDryRun) {
        return yield* output.notes([output.notePaint.dim("nothing was started and nothing was written")])
      }
      if (!given.isUntested) yield* compared(target, given, { before, after, plan, version: origin.version })
      yield* Installing.agreed(given.isSure, "write this?")
      yield* Installing.secretsWritten(files.envFile, plan.variables)
      const edited = yield* FileChange.apply(target, replacing(name, after))
      yield* pinnedAnew(options, target, name)
      yield* EditedServers.report(options, { files, target, edited, changes: [[name, "replaced"]] })
    })
  )

const notInstalled = (name: string) =>
  new Failed({
    tag: "NotInstalled",
    message: `${oneLine(name)} was not installed from a registry: its entry has no "from"`,
    hint: "change its entry by hand, or install it anew: boocode mcp install"
  })

const changeLines = (name: string, before: Schema.JsonObject, after: Schema.JsonObject, paint: Paint) => [
  paint.bold(oneLine(name)),
  ...TextDifference.lines(textOf(before, after), textOf(after, before), paint)
]

/** The entry as text; a literal value of a variable or header that stays may be a secret. */
const textOf = (entry: Schema.JsonObject, other: Schema.JsonObject): string => {
  const hidden = (key: string) => {
    const there = UpgradePlan.objectOf(other[key])
    const values = Object.entries(UpgradePlan.objectOf(entry[key])).map(([name, value]) =>
      [name, value === there[name] && !JSON.stringify(value).includes("${") ? HiddenValues.MASK : value] as const
    )
    return values.length === 0 ? {} : { [key]: Object.fromEntries(values) }
  }
  return JSON.stringify({ ...entry, ...hidden("env"), ...hidden("headers") }, null, 2)
}

const replacing = (name: string, entry: Schema.JsonObject): FileChange.Change => (text, told) =>
  Result.flatMap(
    ConfigEditor.entryText(text, name, told),
    (old) => ConfigEditor.setEntryText(text, name, ConfigEditor.reconciled(old.text, entry), told)
  )

interface Both {
  readonly before: Schema.JsonObject
  readonly after: Schema.JsonObject
  readonly plan: InstallPlan.InstallPlan
  /** The version that stands. */
  readonly version: string
}

/** Starts both versions, one after the other, and shows which tools differ. Fails when the new one does not start. */
const compared = Effect.fnUntraced(function*(
  { file }: ServerFiles.ServerFile,
  { name }: Given,
  { after, before, plan, version }: Both
) {
  const output = yield* Output
  const now = yield* TriedEntry.start(name, after, file, plan.variables)
  if (now.outcome === "failed") {
    yield* TriedEntry.tell(now)
    return yield* new Failed({
      tag: "TrialFailed",
      message: `${name} did not start in its new version`,
      hint: "--untested writes it all the same; nothing was written"
    })
  }
  // An old version that does not start any more is a reason to leave it.
  const was = yield* Effect.result(TriedEntry.start(name, before, file))
  if (Result.isFailure(was) || was.success.outcome !== "ready" || now.outcome !== "ready") {
    return yield* output.notes(["the tools of both versions cannot be compared: one of them does not list them"])
  }
  const difference = ToolDifference.between(listed(was.success), listed(now))
  const isSame = ToolDifference.count({ ...difference, pinnedAt: "" }) === 0
  yield* output.lines(
    isSame ? ["  its tools are the same"] : differenceLines(difference, `since ${oneLine(version)}`, output.paint)
  )
})

const listed = ({ trial: { server, tools } }: TriedEntry.Tried): ToolDifference.Listed => ({
  version: server.serverInfo === null ? null : `${server.serverInfo.name} ${server.serverInfo.version}`.trim(),
  tools
})

/** The person has seen the differences, so the next listing is what counts. */
const pinnedAnew = Effect.fnUntraced(function*(options: Options, target: ServerFiles.ServerFile, name: string) {
  const server = ServerFiles.serverOf(target, name)
  if (server === undefined) return
  const backend = yield* Backend
  const forget = Effect.flatMap(ToolPins, (pins) => pins.forget(server))
  yield* Effect.mapError(Effect.provide(forget, backend.trust(yield* place(options))), failed)
})
