/** The command line that writes an entry on the machine itself, for people whose page may not. */
import { HiddenValues } from "@boocode/mcp-config"
import type * as Schema from "effect/Schema"

/** Null when the entry has hidden values: nobody but its file knows them. */
export const of = (name: string, entry: Schema.JsonObject, isThere: boolean): string | null => {
  if (JSON.stringify(entry).includes(HiddenValues.MASK)) return null
  const force = isThere ? ["--force"] : []
  const words = wordsOf(name, entry) ?? [name, "--from-json", JSON.stringify(entry)]
  const at = words.indexOf("--")
  const all = at < 0 ? [...words, ...force] : [...words.slice(0, at), ...force, ...words.slice(at)]
  return ["boocode", "mcp", "add", ...all.map(quoted)].join(" ")
}

const SIMPLE = new Set(["type", "command", "args", "env"])

const wordsOf = (name: string, entry: Schema.JsonObject): ReadonlyArray<string> | null => {
  const { args = [], command, env = {}, type = "stdio" } = entry
  const isSimple = Object.keys(entry).every((key) => SIMPLE.has(key)) && type === "stdio"
  const [values, variables] = [textsOf(args), textsOf(env)]
  if (!isSimple || typeof command !== "string" || values === null || variables === null) return null
  const set = variables.flatMap(([key, value]) => ["--env", `${key}=${value}`])
  return [name, ...set, "--", command, ...values.map(([, value]) => value)]
}

/** The texts of a list or an object by key; null for anything else. */
const textsOf = (value: Schema.Json): ReadonlyArray<readonly [string, string]> | null => {
  if (typeof value !== "object" || value === null) return null
  const all = Object.entries(value)
  const texts = all.flatMap(([key, one]) => typeof one === "string" ? [[key, one] as const] : [])
  return texts.length === all.length ? texts : null
}

/** A shell must fill in nothing. */
const quoted = (word: string): string => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
