/** The entry that an upgrade makes of an installed server's. Writes nothing. */
import { JsonObjectText } from "@boocode/mcp-config"
import { type Candidate, CandidateEntry, type RegistryAnswer } from "@boocode/mcp-config/Published"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as CandidateLines from "./CandidateLines.ts"
import * as InstallPlan from "./InstallPlan.ts"
import { NotInstallable } from "./RegistryFailure.ts"

/** The way to install a version that an entry has already. */
export const sameKind = (
  server: RegistryAnswer.PublishedServer,
  entry: Schema.JsonObject
): Result.Result<Candidate.Candidate, NotInstallable> => {
  const same = CandidateLines.ordered(server).filter(({ recipe }) =>
    Result.isSuccess(recipe) && (recipe.success._tag === "program"
      ? recipe.success.command === entry["command"]
      : typeof entry["url"] === "string" && recipe.success.type === (entry["type"] === "sse" ? "sse" : "http"))
  )
  const [first] = same.toSorted((one, other) => likeness(other, entry) - likeness(one, entry))
  if (first !== undefined) return Result.succeed(first)
  const [refused = null] = server.candidates.map((candidate) => InstallPlan.refusal(server, candidate))
  return Result.fail(refused ?? otherKind(server))
}

/** How much of the entry a candidate accounts for. */
const likeness = (candidate: Candidate.Candidate, entry: Schema.JsonObject): number => {
  const made = CandidateEntry.make(candidate, {}, {
    ...{ from: "", secret: () => null },
    kept: CandidateEntry.valuesIn(candidate, entry)
  })
  const words = JSON.stringify([entry["args"], entry["url"]])
  return Result.isFailure(made)
    ? 0
    : CandidateLines.runs(made.success).split(" ").filter((word) => words.includes(word)).length
}

const otherKind = ({ name, version }: RegistryAnswer.PublishedServer) =>
  new NotInstallable({
    message: `${name} ${version} is no longer offered in the way that the entry has`,
    hint: "install it anew: boocode mcp install"
  })

/** The new entry in the place of the old one; keys, variables and headers that only the old one has stay. */
export const merged = (before: Schema.JsonObject, after: Schema.JsonObject): Schema.JsonObject => {
  const both = (key: string) => {
    const all = { ...objectOf(before[key]), ...objectOf(after[key]) }
    return Object.keys(all).length === 0 ? {} : { [key]: all }
  }
  return { ...before, ...after, ...both("env"), ...both("headers") }
}

/** An object as it is, and nothing for any other value. */
export const objectOf = (value: Schema.Json | undefined): Schema.JsonObject =>
  value !== undefined && JsonObjectText.isObject(value) ? value : {}
