/** The plan to install a published server: the entry, and the secrets that go to `.env`. Writes nothing. */
import {
  type Candidate,
  CandidateEntry,
  Origin,
  type PublishedInput,
  type RegistryAnswer
} from "@boocode/mcp-config/Published"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { NotInstallable, WrongInputs } from "./RegistryFailure.ts"

export interface InstallPlan {
  readonly entry: Schema.JsonObject
  /** Values for `.env`, by the names that the entry has as `${NAME}`. */
  readonly variables: Readonly<Record<string, Redacted.Redacted<string>>>
  /** Warnings for a person before it runs. */
  readonly warnings: ReadonlyArray<string>
}

export interface Wanted {
  /** The name that the server gets here. */
  readonly name: string
  readonly server: RegistryAnswer.PublishedServer
  readonly candidate: Candidate.Candidate
  readonly values: CandidateEntry.InputValues
  /** Values as the entry has them that stands; they count where `values` has none. */
  readonly kept?: CandidateEntry.InputValues
  /** Whether a variable of this name is in use already. */
  readonly isTaken: (variable: string) => boolean
  /** False where secrets stand in the entry itself. */
  readonly hasVariables: boolean
}

/** Fails for a server that must not be installed, and with every value that is missing or wrong. */
export const make = (wanted: Wanted): Result.Result<InstallPlan, NotInstallable | WrongInputs> => {
  const { candidate, kept = {}, server, values } = wanted
  const refused = refusal(server, candidate)
  if (refused !== null) return Result.fail(refused)
  const checked = CandidateEntry.check(candidate, values, kept)
  if (Result.isFailure(checked)) return Result.fail(wrong(server, candidate, checked.failure))
  const variables: Record<string, Redacted.Redacted<string>> = {}
  const secret = (input: PublishedInput, value: string): string | null => {
    if (!wanted.hasVariables) return null
    const variable = variableFor(wanted, input, variables)
    variables[variable] = Redacted.make(value)
    return variable
  }
  const entry = CandidateEntry.make(candidate, values, { from: Origin.print(server), secret, kept })
  return Result.mapBoth(entry, {
    onSuccess: ({ from = null, ...made }) => ({
      entry: { ...made, ...(wanted.kept === undefined ? patient(made) : {}), from },
      variables,
      warnings: warningsOf(server, candidate)
    }),
    onFailure: (why) => new NotInstallable({ message: `${server.name}: ${why}`, hint: "give other values" })
  })
}

/** The first start of a program downloads it. */
export const LONGEST_START = "3 minutes"

const patient = ({ command }: Schema.JsonObject): Schema.JsonObject =>
  command === undefined ? {} : { startupTimeout: LONGEST_START }

/** Why a server, or this way to install it, is refused whatever the values; null when it is not. */
export const refusal = (server: RegistryAnswer.PublishedServer, candidate: Candidate.Candidate) => {
  if (server.status === "deleted") {
    const why = server.statusMessage === null ? "" : ` (${server.statusMessage})`
    return new NotInstallable({
      message: `${server.name} ${server.version} was deleted from the registry${why}`,
      hint: "a registry deletes what breaks its rules or does harm; look for another server"
    })
  }
  return Result.match(candidate.recipe, {
    onSuccess: () => null,
    onFailure: (why) =>
      new NotInstallable({
        message: `${server.name} as ${candidate.title}: ${why}`,
        hint: "take another way to install it, or add it by hand: boocode mcp add"
      })
  })
}

export const warningsOf = (
  server: RegistryAnswer.PublishedServer,
  candidate: Candidate.Candidate
): ReadonlyArray<string> => [
  ...(server.status === "deprecated"
    ? [`its publisher calls it deprecated${server.statusMessage === null ? "" : `: ${server.statusMessage}`}`]
    : []),
  ...candidate.warnings
]

const wrong = (
  server: RegistryAnswer.PublishedServer,
  candidate: Candidate.Candidate,
  problems: ReadonlyArray<CandidateEntry.InputProblem>
) =>
  new WrongInputs({
    message: `${server.name}: ${problems.map(({ key, message }) => `${key}: ${message}`).join("; ")}`,
    hint: candidate.inputs.length === 0
      ? "it takes no values"
      : `its values are ${
        candidate.inputs.map(({ isRequired, key }) => isRequired ? `${key} (needed)` : key).join(", ")
      }`,
    problems: problems.map(({ key, message }) => ({ field: key, message }))
  })

/** The name of the variable in the entry where it has one, else one made of both names, that nothing else has. */
const variableFor = ({ isTaken, name }: Wanted, input: PublishedInput, mine: object): string => {
  const tidy = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^_+|_+$/g, "")
  const long = `${tidy(name)}_${tidy(input.key)}`.replace(/^(?=\d)/, "_")
  const names = input.place === "environment" && /^[A-Za-z_]\w*$/.test(input.key) ? [input.key, long] : [long]
  const numbered = Array.from({ length: 100 }, (_, at) => `${long}_${at + 2}`)
  return [...names, ...numbered].find((one) => !isTaken(one) && !Object.hasOwn(mine, one)) ?? long
}
