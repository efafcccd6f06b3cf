/** `mcp upgrade`: an installed server gets another version, after its differences were shown. */
import { toolsBetween } from "@boocode/chat-server/EntryTrial"
import type * as InstallPlan from "@boocode/chat-server/published/InstallPlan"
import { PublicRegistry } from "@boocode/chat-server/published/PublicRegistry"
import * as UpgradePlan from "@boocode/chat-server/published/UpgradePlan"
import { ConfigEditor, HiddenValues } from "@boocode/mcp-config"
import { CandidateEntry, type RegistryAnswer } from "@boocode/mcp-config/Published"
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
import { Failed, failed } from "../terminal/Failure.ts"
import { oneLine, Output, type Paint } from "../terminal/Output.ts"
import * as InputQuestions from "./InputQuestions.ts"
import * as Installing from "./Installing.ts"
import { installedIn } from "./Outdated.ts"
import * as PublishedLines from "./PublishedLines.ts"
import * as TriedEntry from "./TriedEntry.ts"

/** Shows the differences of entry and tools, then writes the entry. A person's own additions stay. */
export const upgrade = (options: Options, given: InputQuestions.Given) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const output = yield* Output
      const tell = telling(options, output)
      const target = yield* ServerFiles.holding(files, given.name, null)
      const { before, origin, server } = yield* standing(target, given)
      if (server.version === origin.version && given.set.length === 0) {
        yield* tell.lines([`${oneLine(given.name)} is ${server.name} ${server.version} already`])
        return yield* documented(options, given, before)
      }
      const change = yield* changed(given, server, before)
      yield* tell.lines(changeLines(given.name, change, tell.paint))
      yield* output.notes(PublishedLines.warningLines(change.plan.warnings, output.notePaint))
      if (given.isDryRun) {
        yield* output.notes([output.notePaint.dim("nothing was started and nothing was written")])
        return yield* documented(options, given, change.after)
      }
      if (!given.isUntested) yield* compared(target, given, change, origin.version, tell)
      yield* Installing.agreed(given, "write this?")
      yield* Installing.secretsWritten(files.envFile, change.plan.variables)
      const edited = yield* FileChange.apply(target, replacing(given.name, change.after))
      yield* pinnedAnew(options, target, given.name)
      yield* EditedServers.report(options, { files, target, edited, changes: [[given.name, "replaced"]] })
    })
  )

/** The entry as it stands, and the version that it is to get, which is shown. */
const standing = Effect.fnUntraced(function*(target: ServerFiles.ServerFile, { name, version }: InputQuestions.Given) {
  const { notePaint, notes } = yield* Output
  const all = yield* installedIn(target)
  const { entry: before, origin } = all.find(({ server }) => server === name) ?? (yield* notInstalled(name))
  const registry = yield* PublicRegistry
  const { answer: server, keptAt } = yield* Effect.mapError(registry.server(origin.name, version), failed)
  if (server.version !== origin.version) {
    yield* notes(PublishedLines.serverLines(server, { registry: registry.address, keptAt }, notePaint))
  }
  return { before, origin, server }
})

interface Change {
  readonly before: Schema.JsonObject
  readonly after: Schema.JsonObject
  readonly plan: InstallPlan.InstallPlan
}

/** The entry as it would be: with the values that it has, those that are given, and those that are new. */
const changed = Effect.fnUntraced(function*(
  given: InputQuestions.Given,
  server: RegistryAnswer.PublishedServer,
  before: Schema.JsonObject
) {
  const values = yield* InputQuestions.given(given)
  const candidate = yield* Effect.mapError(Effect.fromResult(UpgradePlan.sameKind(server, before)), failed)
  const kept = CandidateEntry.valuesIn(candidate, before)
  const all = yield* InputQuestions.completed(candidate, values, { ...given, kept })
  const plan = yield* Installing.planned(server, candidate, given.name, all, kept)
  return { before, after: UpgradePlan.merged(before, plan.entry), plan } satisfies Change
})

/** With `--json`, the one document of a run that writes nothing. */
const documented = Effect.fnUntraced(
  function*({ json }: Options, { name }: InputQuestions.Given, entry: Schema.JsonObject) {
    if (json) yield* Output.use(({ document }) => document({ name, from: entry["from"] ?? null, entry }))
  }
)

interface Telling {
  readonly lines: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  readonly paint: Paint
}

/** Where the differences go: with `--json` standard output has the document alone. */
const telling = (options: Options, output: typeof Output.Service): Telling =>
  options.json ? { lines: output.notes, paint: output.notePaint } : { lines: output.lines, paint: output.paint }

const notInstalled = (name: string) =>
  new Failed({
    tag: "NotInstalled",
    message: `${oneLine(name)} was not installed from a registry: its entry has no "from"`,
    hint: "change its entry by hand, or install it anew: boocode mcp install"
  })

const changeLines = (name: string, { after, before }: Change, paint: Paint) => [
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

/** Starts both versions, one after the other, and shows which tools differ. Fails when the new one does not start. */
const compared = Effect.fnUntraced(function*(
  { file }: ServerFiles.ServerFile,
  { command, name }: InputQuestions.Given,
  { after, before, plan }: Change,
  version: string,
  tell: Telling
) {
  const now = yield* TriedEntry.start(name, after, file, plan.variables)
  if (now.outcome === "failed") {
    yield* TriedEntry.tell(now)
    return yield* new Failed({
      tag: "TrialFailed",
      message: `${name} did not start in its new version`,
      hint: `${command} --untested writes it all the same; nothing was written`
    })
  }
  // An old version that does not start any more is a reason to leave it.
  const was = yield* Effect.result(TriedEntry.start(name, before, file))
  if (Result.isFailure(was) || was.success.outcome !== "ready" || now.outcome !== "ready") {
    return yield* tell.lines(["the tools of both versions cannot be compared: one of them does not list them"])
  }
  const difference = toolsBetween(was.success.trial, now.trial)
  const isSame = ToolDifference.count({ ...difference, pinnedAt: "" }) === 0
  yield* tell.lines(
    isSame ? ["  its tools are the same"] : differenceLines(difference, `since ${oneLine(version)}`, tell.paint)
  )
})

/** The person has seen the differences, so the next listing is what counts. */
const pinnedAnew = Effect.fnUntraced(function*(options: Options, target: ServerFiles.ServerFile, name: string) {
  const server = ServerFiles.serverOf(target, name)
  if (server === undefined) return
  const backend = yield* Backend
  const forget = Effect.flatMap(ToolPins, (pins) => pins.forget(server))
  yield* Effect.mapError(Effect.provide(forget, backend.trust(yield* place(options))), failed)
})
