/** Publishers whose remote servers need no approval. Exact origins, never a part of a name. */
import type { DeclaredEntry } from "@boocode/mcp-config"
import * as Redacted from "effect/Redacted"

/**
 * Whether a text can stand among trusted publishers: the origin of an https address, for instance
 * `https://mcp.example.com`, written as a browser would write it.
 */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && url.protocol === "https:" && url.origin === text && !text.includes("*")
}

/**
 * The publisher among `trusted` that an entry is of; null for none.
 *
 * **Details**
 *
 * Only a remote server has one: the https origin of its address, compared whole. An entry that names a variable or a
 * helper has none, because a stranger's file would choose what is sent. A program never has one, whatever its name: in a
 * project's folder `npx -y @scope/package` takes the package from the project's own `node_modules`, or from the registry
 * that its `.npmrc` names.
 */
export const of = (entry: DeclaredEntry, trusted: ReadonlyArray<string>): string | null => {
  if (entry.url === null || entry.command !== null || entry.headersHelper !== null) return null
  const address = Redacted.value(entry.url)
  const values = [address, ...Object.values(entry.headers).map(Redacted.value)]
  const url = URL.parse(address)
  if (url === null || url.username !== "" || url.password !== "") return null
  const isAsWritten = values.every((value) => !value.includes("$")) && address.startsWith(`${url.origin}`)
  return isAsWritten && isOrigin(url.origin) ? trusted.find((origin) => origin === url.origin) ?? null : null
}
