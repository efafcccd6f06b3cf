/** Which files there may be: data, project and user files, whether they are there or not. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { ConfigSource } from "../model/Configuration.ts"
import { Environment } from "../model/Environment.ts"

/** A file to look at. */
export interface Candidate {
  /** Absolute. */
  readonly path: string
  /** How a person would name it. */
  readonly name: string
  readonly scope: ConfigSource["scope"]
}

/** The scopes to read; null leaves one out. */
export interface Scopes {
  /** The data file, `mcp.json` of a data folder. */
  readonly dataFile: string | null
  /** A folder: `.mcp.json` and `.mcprc` of it and of each folder above it up to the repository root. They need approval. */
  readonly projectFrom: string | null
  /** A person's home: `~/.config/boocode/mcp.json` (`XDG_CONFIG_HOME` is honoured) and `~/.mcprc`. */
  readonly home: string | null
  /** True when a person named the data file: then, if it is absent from the start, nothing else is read either. Default false. */
  readonly dataFileIsNamed?: boolean
}

/** The files of the scopes, the highest first, each once. */
export const of = Effect.fnUntraced(function*(scopes: Scopes) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const user = userFiles(path, scopes.home, variables["XDG_CONFIG_HOME"])
  const project = scopes.projectFrom === null ? [] : yield* projectFiles(path.resolve(scopes.projectFrom))
  const data = scopes.dataFile === null
    ? []
    : [{ path: path.resolve(scopes.dataFile), name: scopes.dataFile, scope: "data" as const }]
  const found: ReadonlyArray<Candidate> = [
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
): Candidate => {
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
  const folders = yield* projectFolders(from)
  return folders.flatMap((folder) => [path.join(folder, ".mcp.json"), path.join(folder, ".mcprc")])
})

/**
 * A folder and those above it, up to the root of its repository. Outside of a repository only the folder: what lies above
 * is not of the project. The folders of `stop` and what is above them are left out.
 */
export const projectFolders = Effect.fnUntraced(function*(from: string, stop: ReadonlyArray<string> = []) {
  const above = yield* upToRepository(from, stop)
  return above.isRepository ? above.folders : above.folders.slice(0, 1)
})

/** A folder and those above it, up to the root of its repository if it is in one, or up to one of `stop`. */
export const upToRepository = Effect.fnUntraced(function*(from: string, stop: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folders: Array<string> = []
  for (const folder of upwards(path, from)) {
    if (stop.includes(folder)) break
    folders.push(folder)
    // A folder that may not be looked into is not a root that this person works in.
    const isRepository = yield* Effect.orElseSucceed(fs.exists(path.join(folder, ".git")), () => false)
    if (isRepository) return { folders, isRepository }
  }
  return { folders, isRepository: false }
})

// The place of a file, as far as its meaning depends on it.

/** Folders of a project that applications keep their own files in. */
const OWN_FOLDERS = new Set([".vscode", ".cursor", ".roo", ".codex", ".gemini", ".devcontainer", ".opencode", ".zed"])

/** A folder and those above it. */
const upwards = (path: Path.Path, folder: string): ReadonlyArray<string> => {
  const above = path.dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(path, above)]
}

/** The project that a file belongs to, unless it is a person's own; and where the person stands. */
export const surroundings = Effect.fnUntraced(function*(file: string, from = ".") {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const folder = path.dirname(path.resolve(file))
  const project = OWN_FOLDERS.has(path.basename(folder)) ? path.dirname(folder) : folder
  const home = variables["HOME"] ?? variables["USERPROFILE"]
  const isOwn = home !== undefined && path.resolve(home) === project
  return {
    workspace: isOwn ? null : project,
    isWindows: path.sep === "\\",
    standing: upwards(path, path.resolve(from))
  }
})
