/** How values that look like secrets may stay out of a file of servers. */
import type * as Schema from "effect/Schema"
import type { ServerFile } from "./ServerFiles.ts"

/** One hint for each value of an entry that looks like a secret and is written into the file as it is. */
export const secretHints = (
  name: string,
  entry: Schema.JsonObject,
  { file }: ServerFile,
  /** False when the file is left as it was for now. */
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
