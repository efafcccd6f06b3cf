/** Servers of the MCP registry over HTTP: found, looked at, and written into the data file like `AddServer` does. */
import { CurrentUser } from "@boocode/chat/CurrentUser"
import { ConfigEditor, Environment } from "@boocode/mcp-config"
import { Origin, type RegistryAnswer } from "@boocode/mcp-config/Published"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Access } from "../access/Access.ts"
import { toolDocument } from "../api/Documents.ts"
import type { WantedInstall, WantedServer } from "../api/published/RegistryApi.ts"
import * as CandidateLines from "../published/CandidateLines.ts"
import * as InstalledServers from "../published/InstalledServers.ts"
import * as InstallPlan from "../published/InstallPlan.ts"
import { PublicRegistry } from "../published/PublicRegistry.ts"
import { NotInstallable } from "../published/RegistryFailure.ts"
import type { Search } from "../published/RegistrySource.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import * as AddServer from "./AddServer.ts"
import * as EntryDraft from "./EntryDraft.ts"
import { EntryTrial } from "./EntryTrial.ts"
import * as EntryVariables from "./EntryVariables.ts"
import * as StandingEntry from "./StandingEntry.ts"

export const search = Effect.fnUntraced(function*(wanted: Search) {
  const registry = yield* PublicRegistry
  const { answer, keptAt } = yield* registry.search(wanted)
  const installed = yield* installedHere
  return {
    registry: registry.address,
    keptAt,
    nextCursor: answer.nextCursor,
    problems: answer.problems,
    servers: answer.servers.filter(({ status }) => status !== "deleted").map((server) => ({
      ...summary(server, installed),
      kinds: [
        ...new Set(CandidateLines.ordered(server).flatMap(({ kind, recipe }) => Result.isSuccess(recipe) ? [kind] : []))
      ]
    }))
  }
})

export const look = Effect.fnUntraced(function*(name: string, version: string | null) {
  const registry = yield* PublicRegistry
  const { answer, keptAt } = yield* registry.server(name, version)
  return {
    ...summary(answer, yield* installedHere),
    registry: registry.address,
    keptAt,
    suggestedName: yield* freeName(name),
    candidates: CandidateLines.ordered(answer).map((candidate) => ({
      id: candidate.id,
      kind: candidate.kind,
      title: candidate.title,
      inputs: CandidateLines.inputsOf(candidate),
      runs: CandidateLines.runsOf(candidate),
      warnings: InstallPlan.warningsOf(answer, candidate),
      refused: InstallPlan.refusal(answer, candidate)?.message ?? null
    }))
  }
})

export const versions = Effect.fnUntraced(function*(name: string) {
  const { answer } = yield* PublicRegistry.use((registry) => registry.versions(name))
  return { versions: answer.map(({ publishedAt, status, version }) => ({ publishedAt, status, version })) }
})

const summary = (
  { isLatest: _, candidates: __, ...server }: RegistryAnswer.PublishedServer,
  installed: ReadonlyArray<InstalledServers.InstalledServer>
) => ({
  ...server,
  installed: installed.filter(({ origin }) => origin.name === server.name).map((one) => one.server)
})

/** The servers of the data file that came from a registry. */
export const installedHere = Effect.gen(function*() {
  return InstalledServers.inText(yield* AddServer.textOf(yield* AddServer.dataFile))
})

/** The name of a published server that no server here has; an untouched example gives way. */
const freeName = Effect.fnUntraced(function*(published: string) {
  const registry = yield* McpRegistry
  const examples = ConfigEditor.examples(yield* AddServer.textOf(yield* AddServer.dataFile))
  const names = (yield* registry.servers).map(({ name }) => name)
  return Origin.freeName(published, new Set(names.filter((name) => !examples.includes(name))))
})

/**
 * Writes the secrets, then the entry, and starts it; answers when it is ready or failed. Fails with what `AddServer` fails
 * with and with `InstallFailure`; nothing was written then, but secrets where the file of the entry could not be.
 */
export const install = Effect.fnUntraced(function*(wanted: typeof WantedInstall.Type) {
  const { isOpen } = yield* Access
  const environment = yield* Environment
  const { answer, candidate } = yield* chosen(wanted)
  const name = wanted.as ?? (yield* freeName(wanted.name))
  const { entry, variables, warnings } = yield* Effect.fromResult(InstallPlan.make({
    ...{ name, server: answer, candidate, values: wanted.inputs, hasVariables: isOpen },
    isTaken: (variable) => environment.variables[variable] !== undefined
  }))
  const { target } = yield* AddServer.checked(name, entry)
  const done = {
    ...{ name, warnings, runs: CandidateLines.runs(entry) },
    // Without secrets that stand in it.
    entry: isOpen ? entry : StandingEntry.shown(JSON.stringify(entry)).entry,
    file: target.name,
    variables: Object.keys(variables)
  }
  if (wanted.dryRun === true) return { ...done, server: null }
  if (done.variables.length > 0) {
    const { envFile } = yield* DataFolder
    yield* EntryVariables.write(envFile, Record.map(variables, Redacted.value))
    yield* environment.refresh
  }
  return { ...done, server: yield* AddServer.add(name, entry) }
})

/** Starts it once, its values in place, and ends it. Writes nothing. Fails as `install` does. */
export const tried = Effect.fnUntraced(function*(wanted: typeof WantedServer.Type) {
  const { answer, candidate } = yield* chosen(wanted)
  const name = wanted.as ?? (yield* freeName(wanted.name))
  const { entry } = yield* Effect.fromResult(InstallPlan.make({
    ...{ name, server: answer, candidate, values: wanted.inputs, hasVariables: false },
    isTaken: () => false
  }))
  const { server } = yield* EntryDraft.make(name, { entry }, null, yield* AddServer.dataFile)
  const trial = yield* Effect.flatMap(
    CurrentUser,
    ({ id }) => EntryTrial.use(({ run }) => run(server, InstallPlan.LONGEST_START, id))
  )
  return { ...trial, tools: trial.tools.map(toolDocument) }
})

const chosen = Effect.fnUntraced(function*({ candidate: id, name, version }: typeof WantedServer.Type) {
  const { answer } = yield* PublicRegistry.use(({ server }) => server(name, version))
  const candidate = answer.candidates.find((one) => one.id === id)
  return candidate === undefined ? yield* noCandidate(answer) : { answer, candidate }
})

const noCandidate = ({ candidates, name }: RegistryAnswer.PublishedServer) =>
  new NotInstallable({
    message: `${name} has no such way to install it`,
    hint: candidates.length === 0 ? "it lists none at all" : `it has ${candidates.map(({ id }) => id).join(", ")}`
  })
