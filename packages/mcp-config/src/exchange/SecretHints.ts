/** Hints about values of an entry that look like secrets and stand in its file as they are. */
import type * as Schema from "effect/Schema"
import type { Candidate } from "../read/ConfigFiles.ts"

/** A hint for each such value of `env` and `headers`, with the variable that may take its place. */
export const of = (
  name: string,
  entry: Schema.JsonObject,
  file: Pick<Candidate, "name" | "scope">,
  /** False when nothing is written, as with `--dry-run`. */
  isWritten = true
): ReadonlyArray<string> =>
  [...literals(entry["env"]), ...literals(entry["headers"])].map(([key, value]) => {
    const where = file.scope === "project" ? `${file.name}, a file of the project` : file.name
    const state = isWritten ? `is in ${where} now` : `would be in ${where}`
    return `the value of ${key} ${state}; '${suggested(name, key, value)}' takes it from the environment or .env`
  })

const literals = (values: Schema.Json | undefined): ReadonlyArray<readonly [string, string]> =>
  typeof values !== "object" || values === null || Array.isArray(values)
    ? []
    : Object.entries(values).flatMap(([key, value]) =>
      typeof value === "string" && value !== "" && SECRET.test(key) && !VARIABLE.test(value)
        ? [[key, value] as const]
        : []
    )

const SECRET = /token|key|secret|passw|pwd|auth|credential|cookie/i

/** `$${` is plain text. */
const VARIABLE = /(?<!\$)\$\{/

const suggested = (server: string, key: string, value: string): string => {
  const scheme = /^(?:Bearer|Basic|Token) /.exec(value)?.[0] ?? ""
  const words = /^authorization$/i.test(key) ? `${server}_TOKEN` : key
  return `${scheme}\${${words.toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^(?=\d)/, "_")}}`
}
