/**
 * Which tools a server offers, as lists of names that are allowed and denied, from there and to there.
 */
import type { JsonNode, Member } from "../JsonNode.ts"
import * as Nodes from "./Nodes.ts"
import type { Translation } from "./Translation.ts"

/** Reads a list of allowed and a list of denied names, each under its key; null for a list the application lacks. */
export const read = (
  entry: Translation,
  included: string | null,
  excluded: string | null,
  clean: (name: string) => string = (name) => name
): void => {
  const allowed = included === null ? undefined : entry.take(included)
  const denied = excluded === null ? undefined : entry.take(excluded)
  const from = allowed ?? denied
  const odd = [allowed, denied].find((member) => member !== undefined && Nodes.textsOf(member.value) === null)
  if (from === undefined) return
  if (odd !== undefined) return entry.say("tools", refused(odd), odd)
  const denials = (Nodes.textsOf(denied?.value) ?? []).map((name) => `!${clean(name)}`)
  if (allowed === undefined && denials.length === 0) return
  const names = allowed === undefined ? ["*"] : exact(entry, allowed, clean)
  const patterns = [...names, ...denials].map((name) => Nodes.text(name, from.value.at))
  entry.say("tools", Nodes.list(patterns, from.value.at), from)
}

/** A name with a star would allow more here than there, where a star is a character like any other. */
const exact = (entry: Translation, allowed: Member, clean: (name: string) => string): ReadonlyArray<string> => {
  const names = (Nodes.textsOf(allowed.value) ?? []).map(clean)
  if (names.some((name) => name.includes("*"))) {
    entry.note(allowed.at, `${entry.path}.${allowed.key}`, "names with a star are left out: here they would allow more")
  }
  return names.filter((name) => !name.includes("*"))
}

/** What is no list of texts must not become "all tools": the native reader refuses it. */
const refused = ({ value }: Member): JsonNode => value.type === "string" ? Nodes.flag(false, value.at) : value

/** Patterns as lists of names. `allowed` is null when all tools are but the denied ones. */
export interface Lists {
  readonly allowed: ReadonlyArray<string> | null
  readonly denied: ReadonlyArray<string>
}

/** Gives the lists that mean the same as some patterns; null when there are none. */
export const fromPatterns = (patterns: ReadonlyArray<string>): Lists | null => {
  const names = new Map<string, boolean>()
  let others = false
  for (const pattern of patterns) {
    const isDenial = pattern.startsWith("!")
    const name = isDenial ? pattern.slice(1) : pattern
    if (name === "*") {
      others = !isDenial
      names.clear()
    } else if (name.includes("*")) return null
    else names.set(name, !isDenial)
  }
  const named = (wanted: boolean) => [...names].flatMap(([name, isAllowed]) => isAllowed === wanted ? [name] : [])
  return others ? { allowed: null, denied: named(false) } : { allowed: named(true), denied: [] }
}
