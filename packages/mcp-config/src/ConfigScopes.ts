/**
 * Which files are read, and which entry wins where several have the same name: whole entries, highest scope first.
 */
import * as Effect from "effect/Effect"
import * as ConfigFile from "./ConfigFile.ts"
import * as ConfigFiles from "./ConfigFiles.ts"
import type { ConfigSource, Configuration, ConfiguredServer } from "./Configuration.ts"
import { Environment } from "./Environment.ts"

/** Reads the files of the scopes, the highest first; `before` is what was read the time before. Never fails. */
export const contents = Effect.fn("ConfigScopes.contents")(function*(
  scopes: ConfigFiles.Scopes,
  before: ReadonlyArray<ConfigFile.Content> = []
) {
  const [data, ...others] = yield* ConfigFiles.of(scopes)
  if (data === undefined) return []
  const first = yield* ConfigFile.read(data)
  const isMissing = scopes.dataFileIsNamed === true && data.scope === "data" && first.source?.state === "absent"
  // A file that is gone takes its own servers away; those of files in use beside it stay.
  const isAlone = isMissing && before.length < 2
  const rest = isAlone ? [] : yield* Effect.forEach(others, ConfigFile.read)
  return [first, ...rest]
})

/** Puts contents together, the highest first. */
export const merge = (contents: ReadonlyArray<ConfigFile.Content>): Configuration => {
  const winners = new Map<string, ConfiguredServer>()
  const sources: Array<ConfigSource> = []
  for (const { servers, source } of contents) {
    const hidden = servers.filter((server) => winners.has(server.name)).map((server) => server.name)
    for (const server of servers) if (!winners.has(server.name)) winners.set(server.name, server)
    if (source !== null) sources.push({ ...source, hidden })
  }
  return {
    servers: [...winners.values()].sort((a, b) => a.name < b.name ? -1 : 1),
    sources,
    warnings: contents.flatMap((content) => content.warnings)
  }
}

const FORMER = ["MCP_CONTEXT7_URL", "MCP_CONTEXT7_API_KEY"]

const FORMER_ENTRY = `"context7": { "type": "streamableHttp", "url": "https://mcp.context7.com/mcp", ` +
  `"headers": { "X-API-Key": "\${CONTEXT7_API_KEY:-}" } }`

/** Adds a warning when a variable is set that former versions read. */
export const withFormerVariables = Effect.fnUntraced(function*(configuration: Configuration) {
  const { variables } = yield* Environment
  const set = FORMER.filter((name) => Object.hasOwn(variables, name) && variables[name] !== undefined)
  if (set.length === 0) return configuration
  const warning = `${set.join(" and ")} ${set.length === 1 ? "is" : "are"} no longer read. Unset ` +
    `${set.length === 1 ? "it" : "them"}, put the key into CONTEXT7_API_KEY, and add to mcpServers: ${FORMER_ENTRY}`
  return { ...configuration, warnings: [...configuration.warnings, warning] }
})
