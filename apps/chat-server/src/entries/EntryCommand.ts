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
  if (!isSimple || typeof command !== "string" || !Array.isArray(args) || typeof env !== "object" || env === null) {
    return null
  }
  const variables = Object.entries(env).flatMap(([key, value]) => ["--env", `${key}=${String(value)}`])
  return [name, ...variables, "--", command, ...args.map((arg: Schema.Json) => String(arg))]
}

/** A shell must fill in nothing. */
const quoted = (word: string): string => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
