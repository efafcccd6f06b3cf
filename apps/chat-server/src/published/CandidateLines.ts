/** The ways to install a published server as people see them: the order, and what each would run. */
import { type Candidate, CandidateEntry, type PublishedInput, type RegistryAnswer } from "@boocode/mcp-config/Published"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

const KINDS: ReadonlyArray<Candidate.Candidate["kind"]> = ["npm", "pypi", "oci", "nuget"]

/** The best first: a remote that needs no secret (it signs in by itself), then packages, then other remotes, then what is refused. */
export const ordered = ({ candidates }: RegistryAnswer.PublishedServer): ReadonlyArray<Candidate.Candidate> =>
  candidates.toSorted((one, other) => rank(one) - rank(other))

const rank = ({ inputs, kind, recipe }: Candidate.Candidate): number => {
  if (Result.isFailure(recipe)) return 100
  if (kind !== "remote") return 1 + KINDS.indexOf(kind)
  return inputs.some(({ isRequired, isSecret }) => isRequired && isSecret) ? 50 : 0
}

/** Those that are needed first. */
export const inputsOf = ({ inputs }: Candidate.Candidate): ReadonlyArray<PublishedInput> =>
  inputs.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired))

/** The command line or the address, with `{key}` where a value goes; null for one that is refused. */
export const runsOf = (candidate: Candidate.Candidate): string | null => {
  if (Result.isFailure(candidate.recipe)) return null
  const gaps = Object.fromEntries(candidate.inputs.map(({ key }) => [key, `{${key}}`]))
  const { recipe } = candidate
  const made = CandidateEntry.make(candidate, {}, { from: "", secret: () => null, kept: gaps })
  return Result.match(made, {
    onSuccess: runs,
    onFailure: () => recipe.success._tag === "address" ? candidate.title : null
  })
}

/** The command line or the address of an entry. A word with spaces or quotes stands in quotes. */
export const runs = ({ args, command, url }: Schema.JsonObject): string => {
  if (typeof command !== "string") return typeof url === "string" ? url : ""
  const words = Array.isArray(args) ? args.filter((one: Schema.Json) => typeof one === "string") : []
  return [command, ...words].map((word) => /^[\w@%+=:,./{}$~-]+$/.test(word) ? word : JSON.stringify(word)).join(" ")
}
