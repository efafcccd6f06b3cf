/** Which files are read, and which entry wins where several have the same name: whole entries, highest scope first. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as PersonalUse from "../entry/PersonalUse.ts"
import type { ConfigSource, Configuration, ConfiguredServer } from "../model/Configuration.ts"
import { Environment } from "../model/Environment.ts"
import * as ConfigFile from "./ConfigFile.ts"
import type { Content } from "./ConfigFile.ts"
import * as ConfigFiles from "./ConfigFiles.ts"

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

// A new reading of files that are in use: which contents are kept, and whether anything changed.

/**
 * Puts what is known of a file in the place of what cannot be used: a file with a mistake in it changes nothing, and its
 * source says what the mistake is. A file that is gone is gone.
 */
export const keepChange = (before: ReadonlyArray<Content>, now: ReadonlyArray<Content>): ReadonlyArray<Content> =>
  now.map((content) => {
    const { source } = content
    const last = source?.state === "invalid" ? find(before, source.file) : undefined
    return source === null || !isUsed(last) ? content : { ...last, source: { ...source, state: "kept" } }
  })

/** True when a file became worse than it was. It may be in the middle of being written, so it deserves a second look. */
export const isBadNews = (before: ReadonlyArray<Content>, now: ReadonlyArray<Content>): boolean =>
  now.some(({ source }) => {
    if (source === null) return false
    const last = find(before, source.file)
    if (source.state === "absent") return isUsed(last)
    return source.error !== null && source.error.message !== last?.source?.error?.message
  })

/** True when two configurations say the same, down to the last warning; secrets are compared by value. */
export const isSame = (one: Configuration, other: Configuration): boolean => Equal.equals(told(one), told(other))

const find = (contents: ReadonlyArray<Content>, file: string): Content | undefined =>
  contents.find(({ source }) => source?.file === file)

const isUsed = (content: Content | undefined): content is Content =>
  content?.source?.state === "read" || content?.source?.state === "kept"

/** An error is a new object at each reading; its words are what it says. */
const told = ({ servers, sources, warnings }: Configuration) => ({
  servers: servers.map((server) => ({
    ...server,
    // The entry for equal values, as the function is a new one at each reading.
    personal: server.personal === undefined
      ? null
      : {
        ...server.personal,
        resolve: Result.getOrNull(server.personal.resolve(PersonalUse.examples(server.personal), PersonalUse.EXAMPLE))
      },
    config: Result.isSuccess(server.config) ? server.config.success : inWords(server.config.failure)
  })),
  sources: sources.map((source) => ({ ...source, error: source.error === null ? null : inWords(source.error) })),
  warnings
})

const inWords = ({ hint, message }: { readonly message: string; readonly hint: string }) => `${message}\n${hint}`
