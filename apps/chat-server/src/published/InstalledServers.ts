/** The servers of a file that were installed from a registry, by the `from` of their entries. */
import { JsonObjectText } from "@boocode/mcp-config"
import { Origin } from "@boocode/mcp-config/Published"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

export interface InstalledServer {
  /** The name that it has here. */
  readonly server: string
  readonly origin: Origin.Origin
  readonly entry: Schema.JsonObject
}

/** In the order of the file; none for a text that cannot be read, which its reader tells. */
export const inText = (text: string): ReadonlyArray<InstalledServer> => {
  const { mcpServers = {} } = Result.getOrElse(JsonObjectText.read(text), (): Schema.JsonObject => ({}))
  if (!JsonObjectText.isObject(mcpServers)) return []
  return Object.entries(mcpServers).flatMap(([server, entry]) => {
    if (!JsonObjectText.isObject(entry) || typeof entry["from"] !== "string") return []
    const origin = Origin.parse(entry["from"])
    return origin === null ? [] : [{ server, origin, entry }]
  })
}
