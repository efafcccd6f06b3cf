/**
 * Which files are read, and which entry wins where several have the same name: whole entries, highest scope first.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as ConfigFile from "./ConfigFile.ts"
import type { ConfigSource, Configuration, ConfiguredServer } from "./Configuration.ts"
import { Environment } from "./Environment.ts"

/**
 * The scopes to read; null leaves one out.
 *
 * @category models
 */
export interface Scopes {
  /** The data file, `mcp.json` of a data folder. */
  readonly dataFile: string | null
  /** A folder: `.mcp.json` and `.mcprc` of it and of each folder above it up to the repository root. They need approval. */
  readonly projectFrom: string | null
  /** A person's home: `~/.config/boocode/mcp.json` (`XDG_CONFIG_HOME` is honoured) and `~/.mcprc`. */
  readonly home: string | null
  /** True when a person named the data file: then, if it is absent, nothing else is read either. Default false. */
  readonly dataFileIsNamed?: boolean
}

/** Reads the scopes into one configuration. Never fails. */
export const read = Effect.fn("ConfigScopes.read")(function*(scopes: Scopes) {
  const [data, ...others] = yield* candidates(scopes)
  if (data === undefined) return yield* withFormerVariables(merge())
  const first = yield* ConfigFile.read(data)
  const isAlone = scopes.dataFileIsNamed === true && data.scope === "data" && first.source?.state === "absent"
  const rest = isAlone ? [] : yield* Effect.forEach(others, ConfigFile.read)
  return yield* withFormerVariables(merge(first, ...rest))
})

/** Puts contents together, the highest first. */
export const merge = (...contents: ReadonlyArray<ConfigFile.Content>): Configuration => {
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

/** The files to look at, the highest scope first, each once. */
const candidates = Effect.fnUntraced(function*(scopes: Scopes) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const user = userFiles(path, scopes.home, variables["XDG_CONFIG_HOME"])
  const project = scopes.projectFrom === null ? [] : yield* projectFiles(path.resolve(scopes.projectFrom))
  const data = scopes.dataFile === null
    ? []
    : [{ path: path.resolve(scopes.dataFile), name: scopes.dataFile, scope: "data" as const }]
  const found: ReadonlyArray<ConfigFile.Candidate> = [
    ...data,
    // A home folder inside a repository or above it: one's own file stays one's own.
    ...project.filter((file) => !user.includes(file)).map((file) => candidate(path, scopes.home, file, "project")),
    ...user.map((file) => candidate(path, scopes.home, file, "user"))
  ]
  return found.filter((one, index) => found.findIndex((other) => other.path === one.path) === index)
})

const candidate = (
  path: Path.Path,
  home: string | null,
  file: string,
  scope: ConfigSource["scope"]
): ConfigFile.Candidate => {
  const near = path.relative(path.resolve("."), file)
  const fromHome = home === null ? file : path.relative(path.resolve(home), file)
  if (!near.startsWith("..") && !path.isAbsolute(near)) return { path: file, name: near, scope }
  if (home === null || fromHome.startsWith("..") || path.isAbsolute(fromHome)) return { path: file, name: file, scope }
  return { path: file, name: path.join("~", fromHome), scope }
}

const userFiles = (path: Path.Path, home: string | null, xdg: string | undefined): ReadonlyArray<string> => {
  if (home === null) return []
  // The XDG rules say that a relative path is to be ignored.
  const config = xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.resolve(home, ".config")
  return [path.join(config, "boocode", "mcp.json"), path.resolve(home, ".mcprc")]
}

const projectFiles = Effect.fnUntraced(function*(from: string) {
  const path = yield* Path.Path
  const folders = yield* repositoryFolders(from)
  return folders.flatMap((folder) => [path.join(folder, ".mcp.json"), path.join(folder, ".mcprc")])
})

/** The folders from `from` up to the repository root. Outside of a repository only `from`: what lies above is not its own. */
const repositoryFolders = Effect.fnUntraced(function*(from: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folders: Array<string> = []
  for (let folder = from, above = ""; folder !== above; folder = path.dirname(folder)) {
    folders.push(folder)
    // A folder that may not be looked into is not a root that this person works in.
    if (yield* Effect.orElseSucceed(fs.exists(path.join(folder, ".git")), () => false)) return folders
    above = folder
  }
  return [from]
})

const FORMER = ["MCP_CONTEXT7_URL", "MCP_CONTEXT7_API_KEY"]

const FORMER_ENTRY = `"context7": { "type": "streamableHttp", "url": "https://mcp.context7.com/mcp", ` +
  `"headers": { "X-API-Key": "\${CONTEXT7_API_KEY:-}" } }`

const withFormerVariables = Effect.fnUntraced(function*(configuration: Configuration) {
  const { variables } = yield* Environment
  const set = FORMER.filter((name) => Object.hasOwn(variables, name) && variables[name] !== undefined)
  if (set.length === 0) return configuration
  const warning = `${set.join(" and ")} ${set.length === 1 ? "is" : "are"} no longer read. Unset ` +
    `${set.length === 1 ? "it" : "them"}, put the key into CONTEXT7_API_KEY, and add to mcpServers: ${FORMER_ENTRY}`
  return { ...configuration, warnings: [...configuration.warnings, warning] }
})
