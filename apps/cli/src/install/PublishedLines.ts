/** A published server as a person sees it before it is installed: who published it, its status, and what it would run. */
import * as CandidateLines from "@boocode/chat-server/published/CandidateLines"
import type { InstallPlan } from "@boocode/chat-server/published/InstallPlan"
import type { Candidate, RegistryAnswer } from "@boocode/mcp-config/Published"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { oneLine, pad, type Paint } from "../terminal/Output.ts"

/** One line of a search. */
export const foundLines = (
  { candidates, description, name, status, version }: RegistryAnswer.PublishedServer,
  paint: Paint
): ReadonlyArray<string> => {
  const kinds = [...new Set(candidates.flatMap(({ kind, recipe }) => Result.isSuccess(recipe) ? [kind] : []))]
  const how = kinds.length === 0 ? paint.bad("cannot be installed") : paint.dim(kinds.join(", "))
  const state = status === "active" ? "" : `  ${paint.careful(status)}`
  return [`${paint.bold(oneLine(name))}  ${oneLine(version)}  ${how}${state}`, `  ${oneLine(description, 200)}`]
}

const field = (name: string, value: string): string => `  ${pad(name, 11)}${value}`

/** The server itself. */
export const serverLines = (
  server: RegistryAnswer.PublishedServer,
  from: { readonly registry: string; readonly keptAt: string | null },
  paint: Paint
): ReadonlyArray<string> => [
  `${paint.bold(oneLine(server.name))}  ${oneLine(server.version)}`,
  ...(server.description === "" ? [] : [`  ${oneLine(server.description, 400)}`]),
  field("publisher", oneLine(server.publisher)),
  field("status", server.status === "active" ? "active" : paint.careful(statusWords(server))),
  field("repository", server.repository === null ? paint.dim("none is named") : oneLine(server.repository, 400)),
  field("registry", oneLine(from.registry, 400)),
  ...(from.keptAt === null
    ? []
    : [field("", paint.careful(`it cannot be reached; this is its answer of ${oneLine(from.keptAt)}`))])
]

const statusWords = ({ status, statusMessage }: RegistryAnswer.PublishedServer): string =>
  statusMessage === null ? status : `${status}: ${oneLine(statusMessage, 300)}`

/** The plan of what is written and started. Nothing is cut off: the rest might be what matters. */
export const planLines = (
  name: string,
  { entry, variables, warnings }: InstallPlan,
  file: string,
  paint: Paint
): ReadonlyArray<string> => [
  field(entry["url"] === undefined ? "runs" : "talks to", paint.bold(CandidateLines.runs(entry))),
  ...[...textsOf(entry["env"]), ...textsOf(entry["headers"])].map(([key, value]) => field("", `${key}: ${value}`)),
  field("as", `${oneLine(name)} in ${oneLine(file, 400)}`),
  ...(Record.isEmptyRecord(variables) ? [] : [field("secrets", `${Object.keys(variables).join(", ")} in .env`)]),
  ...warningLines(warnings, paint)
]

export const warningLines = (warnings: ReadonlyArray<string>, paint: Paint): ReadonlyArray<string> =>
  warnings.map((warning) => field(paint.careful("warning"), `   ${oneLine(warning, 400)}`))

const textsOf = (value: Schema.Json | undefined): ReadonlyArray<readonly [string, string]> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).map(([key, one]) => [key, typeof one === "string" ? one : JSON.stringify(one)])

/** The ways to install a server, numbered; those that are refused say why. */
export const candidateLines = (
  usable: ReadonlyArray<Candidate.Candidate>,
  refused: ReadonlyArray<Candidate.Candidate>,
  paint: Paint
): ReadonlyArray<string> => [
  ...usable.map((one, at) =>
    `  ${paint.dim(`${at + 1}.`)} ${kindWords(one)}  ${CandidateLines.runsOf(one) ?? one.title}`
  ),
  ...refused.map(({ recipe, title }) =>
    paint.dim(`  –  ${title}: ${Result.isFailure(recipe) ? oneLine(recipe.failure, 300) : ""}`)
  )
]

const kindWords = ({ kind }: Candidate.Candidate): string => kind === "remote" ? "an address:" : `a program (${kind}):`
