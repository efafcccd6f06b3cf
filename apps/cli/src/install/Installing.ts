/** `mcp discover` and `mcp install`: a published server is found, shown, tried and written. */
import * as EntryVariables from "@boocode/chat-server/EntryVariables"
import * as CandidateLines from "@boocode/chat-server/published/CandidateLines"
import * as InstallPlan from "@boocode/chat-server/published/InstallPlan"
import { PublicRegistry } from "@boocode/chat-server/published/PublicRegistry"
import type { InstallFailure } from "@boocode/chat-server/published/RegistryFailure"
import { ConfigEditor, Environment } from "@boocode/mcp-config"
import { InstallLink } from "@boocode/mcp-config/Exchange"
import { type Candidate, Origin, type RegistryAnswer } from "@boocode/mcp-config/Published"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as EditedServers from "../edit/EditedServers.ts"
import * as FileChange from "../edit/FileChange.ts"
import * as ServerFiles from "../edit/ServerFiles.ts"
import type { Options } from "../options/Options.ts"
import { Ended, Failed, failed, Usage, withHint } from "../terminal/Failure.ts"
import { oneLine, Output } from "../terminal/Output.ts"
import * as InputQuestions from "./InputQuestions.ts"
import * as PublishedLines from "./PublishedLines.ts"
import * as TriedEntry from "./TriedEntry.ts"

/** Prints a page of servers; the registry orders them. */
export const discover = Effect.fnUntraced(function*(options: Options, words: string) {
  const output = yield* Output
  const registry = yield* PublicRegistry
  const { answer, keptAt } = yield* Effect.mapError(registry.search({ search: words.trim(), cursor: null }), failed)
  const servers = answer.servers.filter(({ status }) => status !== "deleted")
  yield* output.notes([
    ...(keptAt === null
      ? []
      : [output.notePaint.careful(`the registry cannot be reached; this was found at ${keptAt}`)]),
    ...answer.problems.map((problem) => `${output.notePaint.careful("left out")}  ${oneLine(problem, 300)}`)
  ])
  if (options.json) {
    return yield* output.document({ keptAt, servers: servers.map(summary), more: answer.nextCursor !== null })
  }
  yield* output.lines(
    servers.length === 0
      ? ["no server was found"]
      : servers.flatMap((server) => PublishedLines.foundLines(server, output.paint))
  )
  if (answer.nextCursor !== null) yield* output.notes([output.notePaint.dim("there are more; use other words")])
})

const summary = ({ candidates, ...server }: RegistryAnswer.PublishedServer) => ({
  ...server,
  candidates: candidates.map((one) => ({
    ...{ id: one.id, kind: one.kind, runs: CandidateLines.runsOf(one) },
    inputs: CandidateLines.inputsOf(one).map((input) => ({ ...input })),
    refused: Result.isFailure(one.recipe) ? one.recipe.failure : null
  }))
})

export interface Given extends InputQuestions.Given {
  readonly isRemote: boolean
  readonly kind: "npm" | "pypi" | "oci" | "nuget" | null
  readonly as: string | null
  readonly scope: ServerFiles.Scope | null
}

/** Installs one server. A value that is missing without a terminal is a usage error, which names it. */
export const install = (options: Options, given: Given) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const output = yield* Output
      const values = yield* InputQuestions.given(given)
      const target = yield* ServerFiles.forNew(files, given.scope)
      const { answer: server, keptAt } = yield* found(given)
      const { address } = yield* PublicRegistry
      yield* output.notes(PublishedLines.serverLines(server, { registry: address, keptAt }, output.notePaint))
      const candidate = yield* chosen(server, given)
      const name = given.as ?? (yield* freeName(target, server.name))
      const all = yield* InputQuestions.completed(candidate, values, given)
      const plan = yield* planned(server, candidate, name, all)
      yield* output.notes(PublishedLines.planLines(name, plan, target.file.name, output.notePaint))
      yield* Effect.mapError(FileChange.preview(target, adding(name, plan.entry)), otherName(given.command))
      if (given.isDryRun) return yield* shown(options, name, plan, target)
      yield* agreed(given, "start it and add it?")
      const kept = given.isUntested ? plan.entry : yield* tried(name, plan, target, given)
      yield* secretsWritten(files.envFile, plan.variables)
      const edited = yield* FileChange.apply(target, adding(name, kept))
      yield* EditedServers.report(options, { files, target, edited, changes: [[name, "added"]] })
    })
  )

const adding = (name: string, entry: Schema.JsonObject): FileChange.Change => (text, told) =>
  ConfigEditor.addServer(text, name, entry, told)

const otherName = (command: string) => (error: Failed): Failed =>
  error.tag === "NameTaken" ? withHint(error, `give it another name: ${command} --as NAME`) : error

/** The server of a name, or of a link that has one. A name without an owner is looked for, and on a terminal one of those found is chosen. */
const found = Effect.fnUntraced(function*({ name: given, version }: Given) {
  const registry = yield* PublicRegistry
  const link = InstallLink.read(given)
  if (link !== null && link._tag !== "published") {
    return yield* new Usage({
      message: "this link names no server of the registry",
      hint: "boocode mcp add takes such a link"
    })
  }
  const name = link?.name ?? given
  if (name.includes("/")) return yield* Effect.mapError(registry.server(name, version), failed)
  const { inputIsTerminal, notePaint, notes } = yield* Output
  const { answer } = yield* Effect.mapError(registry.search({ search: name, cursor: null }), failed)
  const servers = answer.servers.filter(({ status }) => status !== "deleted").slice(0, MOST_OFFERED)
  const names = servers.map((one) => oneLine(one.name))
  if (servers.length === 0 || !inputIsTerminal) {
    return yield* new Usage({
      message: `${oneLine(name)} is no whole name of a published server`,
      hint: names.length === 0 ? "look for one with boocode mcp discover WORDS" : `there is ${names.join(", ")}`
    })
  }
  yield* notes(servers.flatMap((one, at) => {
    const [first = "", ...rest] = PublishedLines.foundLines(one, notePaint)
    return [`${notePaint.dim(`${at + 1}.`)} ${first}`, ...rest.map((line) => `   ${line}`)]
  }))
  const one = yield* InputQuestions.numbered("which one?", servers)
  return yield* Effect.mapError(registry.server(one.name, version), failed)
})

const MOST_OFFERED = 20

/** The way to install it: by the flags, the only one, or what the person chooses. */
const chosen = Effect.fnUntraced(function*(server: RegistryAnswer.PublishedServer, { command, isRemote, kind }: Given) {
  const { inputIsTerminal, notePaint, notes } = yield* Output
  const wanted = (one: Candidate.Candidate) =>
    (!isRemote || one.kind === "remote") && (kind === null || one.kind === kind)
  const all = CandidateLines.ordered(server).filter(wanted)
  const usable = all.filter((one) => InstallPlan.refusal(server, one) === null)
  const [only, ...others] = usable
  if (only === undefined) return yield* none(server, all)
  if (others.length === 0 || (kind !== null && !inputIsTerminal)) return only
  if (!inputIsTerminal) {
    const flags = new Set(usable.map((one) => one.kind === "remote" ? "--remote" : `--package ${one.kind}`))
    if (flags.size === 1) return only
    return yield* new Usage({
      message: `${server.name} can be installed in several ways`,
      hint: `choose one: ${[...flags].map((flag) => `${command} ${flag}`).join(", or ")}`
    })
  }
  yield* notes(PublishedLines.candidateLines(usable, all.filter((one) => !usable.includes(one)), notePaint))
  return yield* InputQuestions.numbered("which one?", usable)
})

const none = (server: RegistryAnswer.PublishedServer, all: ReadonlyArray<Candidate.Candidate>) => {
  const [first] = all
  const refused = first === undefined ? null : InstallPlan.refusal(server, first)
  if (refused !== null) return failed(refused)
  return new Failed({
    tag: "NotInstallable",
    message: `${server.name} has no such way to install it`,
    hint: server.candidates.length === 0
      ? "it lists none at all"
      : `it has ${server.candidates.map(({ title }) => oneLine(title)).join(", ")}`
  })
}

/** A name that the file has not; an untouched example gives way. */
const freeName = Effect.fnUntraced(function*(target: ServerFiles.ServerFile, published: string) {
  const { after } = yield* FileChange.preview(target, (text) => Result.succeed(text))
  const examples = ConfigEditor.examples(after)
  return Origin.freeName(
    published,
    new Set(ServerFiles.namesIn(target, after).filter((name) => !examples.includes(name)))
  )
})

/** The plan; values that are missing or wrong are a usage error. */
export const planned = Effect.fnUntraced(function*(
  server: RegistryAnswer.PublishedServer,
  candidate: Candidate.Candidate,
  name: string,
  values: InstallPlan.Wanted["values"],
  kept?: InstallPlan.Wanted["values"]
) {
  const { variables } = yield* Environment
  return yield* Effect.mapError(
    Effect.fromResult(InstallPlan.make({
      ...{ name, server, candidate, values, hasVariables: true },
      ...(kept === undefined ? {} : { kept }),
      isTaken: (variable) => variables[variable] !== undefined
    })),
    (error: Extract<InstallFailure, { readonly _tag: "NotInstallable" | "WrongInputs" }>) =>
      error._tag === "WrongInputs" ? new Usage({ message: error.message, hint: error.hint }) : failed(error)
  )
})

const shown = Effect.fnUntraced(function*(
  options: Options,
  name: string,
  { entry, variables, warnings }: InstallPlan.InstallPlan,
  { file }: ServerFiles.ServerFile
) {
  const output = yield* Output
  const document = { name, source: file.name, entry, variables: Object.keys(variables), warnings: [...warnings] }
  if (options.json) return yield* output.document(document)
  yield* output.lines(JSON.stringify({ [name]: entry }, null, 2).split("\n"))
  yield* output.notes([output.notePaint.dim("nothing was started and nothing was written")])
})

/** Asks for a yes; without a terminal, `--yes` is needed. A no ends with exit 1. */
export const agreed = Effect.fnUntraced(function*({ command, isSure }: InputQuestions.Given, question: string) {
  if (isSure) return
  const { inputIsTerminal, notes } = yield* Output
  if (!inputIsTerminal) {
    return yield* new Usage({
      message: "nobody can say yes to this without a terminal",
      hint: `add --yes: ${command} --yes`
    })
  }
  if (yield* InputQuestions.confirmed(question)) return
  yield* notes(["nothing was written"])
  return yield* new Ended({ code: 1 })
})

/** Starts it once. The entry that is to be written; disabled where it failed and the person keeps it. Fails without a yes. */
const tried = Effect.fnUntraced(function*(
  name: string,
  plan: InstallPlan.InstallPlan,
  { file }: ServerFiles.ServerFile,
  { command, isSure }: Given
) {
  const { inputIsTerminal, notePaint, notes } = yield* Output
  const result = yield* TriedEntry.start(name, plan.entry, file, plan.variables)
  yield* TriedEntry.tell(result)
  if (result.outcome === "needs-auth") {
    yield* notes([notePaint.typed(`sign in with: boocode mcp login ${oneLine(name)}`)])
  }
  if (result.outcome !== "failed") return plan.entry
  const isKept = inputIsTerminal && !isSure && (yield* InputQuestions.confirmed("add it all the same, turned off?"))
  if (isKept) return { ...plan.entry, enabled: false }
  return yield* new Failed({
    tag: "TrialFailed",
    message: `${name} did not start, so it is not installed`,
    hint: `${command} --untested installs it all the same; nothing was written`
  })
})

/** Writes secrets before the entry that names them. */
export const secretsWritten = Effect.fnUntraced(function*(
  envFile: string,
  variables: InstallPlan.InstallPlan["variables"]
) {
  if (Record.isEmptyRecord(variables)) return
  yield* Effect.mapError(EntryVariables.write(envFile, Record.map(variables, Redacted.value)), failed)
})
