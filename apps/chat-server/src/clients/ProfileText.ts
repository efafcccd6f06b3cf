/** The text of a gateway.jsonc, read with the place of each mistake. A profile with a mistake is none. */
import { Field, JsonNode } from "@boocode/mcp-config/Fields"
import { Profile } from "@boocode/mcp-gateway"
import { FileProblem, ObjectKeys } from "@boocode/toolkit"
import * as Result from "effect/Result"

/** The content of a file. */
export interface ProfileContent {
  /** Those that can be used, by name. */
  readonly profiles: ReadonlyMap<string, Profile.Profile>
  readonly problems: ReadonlyArray<FileProblem>
  /** The names of those that cannot be used. Null where nothing of the file can. */
  readonly broken: ReadonlyArray<string> | null
}

/** A file that is not there. */
export const ABSENT: ProfileContent = { profiles: new Map(), problems: [], broken: [] }

/** A file that cannot be used at all. */
export const unusable = (problem: FileProblem): ProfileContent => ({ ...ABSENT, problems: [problem], broken: null })

/** Names go into addresses. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Reads a text as the file of that name. Never fails. */
export const read = (text: string, file: string): ProfileContent => {
  const root = JsonNode.parse(text)
  if (Result.isFailure(root)) {
    const { column, detail, line } = root.failure
    return unusable(new FileProblem({ file, line, column, key: null, detail, hint: HINT }))
  }
  const problemOf = ({ at, ...trouble }: Field.Trouble) => new FileProblem({ file, ...at, ...trouble })
  const wrong = (node: JsonNode.JsonNode, key: string) =>
    unusable(problemOf(Field.mismatch(node, key, { wanted: "an object", hint: HINT })))
  if (root.success.type !== "object") return wrong(root.success, "")
  const keys = new ObjectKeys(root.success, "", ["$schema", "profiles"])
  const all = keys.take("profiles", (node) => Result.succeed(node))
  if (all !== null && all.type !== "object") return wrong(all, "profiles")
  const members = all?.members ?? []
  const twice = JsonNode.repeatedKeys(members)
  const read = [...JsonNode.byKey(members)].map(([name, member]) => profileOf(name, member, twice.has(name)))
  return {
    profiles: new Map(read.flatMap(({ name, profile }) => profile === null ? [] : [[name, profile] as const])),
    problems: [...keys.troubles, ...read.flatMap(({ troubles }) => troubles)].map(problemOf),
    // A key that is misspelt may be the one that has the profiles.
    broken: keys.troubles.length > 0 ? null : read.flatMap(({ name, profile }) => profile === null ? [name] : [])
  }
}

const HINT = "write { \"profiles\": { \"NAME\": { … } } }"

const KEYS = ["tools", "exposure", "names", "write", "maxResultBytes"]

const profileOf = (name: string, { at, value }: JsonNode.Member, isTwice: boolean) => {
  const path = `profiles.${name}`
  const refused = (...troubles: ReadonlyArray<Field.Trouble>) => ({ name, profile: null, troubles })
  if (isTwice) return refused({ at, key: path, detail: "is written more than once", hint: "leave one of them" })
  if (!NAME.test(name)) {
    return refused({ at, key: path, detail: "a name has letters, digits, - and _ alone", hint: "take another name" })
  }
  if (value.type !== "object") {
    return refused(Field.mismatch(value, path, { wanted: "an object", hint: "write { \"tools\": [\"*\"] }" }))
  }
  const keys = new ObjectKeys(value, path, KEYS)
  const profile: Profile.Profile = {
    tools: keys.take("tools", Field.texts.decode) ?? Profile.standard.tools,
    exposure: keys.take("exposure", Field.choice(["auto", "flat", "search", "code"]).decode) ??
      Profile.standard.exposure,
    names: keys.take("names", Field.choice(["prefixed", "bare"]).decode) ?? Profile.standard.names,
    write: keys.take("write", Field.choice(["off", "ask", "rules"]).decode) ?? Profile.standard.write,
    maxResultBytes: keys.take("maxResultBytes", bytes) ?? Profile.standard.maxResultBytes
  }
  return keys.troubles.length === 0 ? { name, profile, troubles: [] } : refused(...keys.troubles)
}

const bytes = (node: JsonNode.JsonNode, key: string): Result.Result<number, Field.Trouble> =>
  node.type === "number" && Number.isSafeInteger(node.value) && node.value >= 0
    ? Result.succeed(node.value)
    : Result.fail(Field.mismatch(node, key, {
      wanted: "a whole number of bytes",
      hint: "0 leaves it to what is known of the client"
    }))
