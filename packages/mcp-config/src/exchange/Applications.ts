/**
 * The files in which applications keep their MCP servers, as they are found: on macOS, Linux and Windows, for a person and
 * in a project.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { Environment } from "../model/Environment.ts"
import { InvalidFile } from "../model/McpConfigError.ts"
import * as ConfigFile from "../read/ConfigFile.ts"
import { surroundings } from "../read/ConfigFiles.ts"
import * as ConfigShape from "../shapes/ConfigShape.ts"
import * as ConfigText from "../text/ConfigText.ts"

/** A file of an application that is there. */
export interface Source extends Answer {
  readonly application: Application
  readonly scope: "project" | "user"
}

/**
 * Looks for the files of applications: those of the project that a person stands in first, the nearest folder first,
 * then the person's own. Files that are not there, and those that hold nothing about servers, are left out. Starts
 * nothing, and never fails.
 */
export const scan = Effect.fn("Applications.scan")(function*(
  from: string,
  applications: ReadonlyArray<Application> = knownApplications
) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const own = foldersOf(path, variables)
  const projects = yield* ofProject(path.resolve(from), own.home)
  const found = yield* Effect.forEach(applications, (application) => {
    const near = projects.flatMap((folder) => application.project.map((file) => path.join(folder, ...file.split("/"))))
    const far = ownFiles(application, own, path)
    const candidates = [
      ...near.map((file) => ({ application, file, scope: "project" as const })),
      ...far.map((file) => ({ application, file, scope: "user" as const }))
    ]
    return Effect.forEach(candidates, (candidate) => look(candidate, from))
  })
  return found.flat().filter((source) => source !== null)
})

const ownFiles = (application: Application, folders: Folders, path: Path.Path) =>
  application.own(folders).map(([first = "", ...rest]) => path.join(first, ...rest))

/**
 * Tells whether a file is a project's, so that a stranger may have written it: it has the place of an application's file
 * in a project, or is in the project a person stands in, or in any repository. The files of applications in a person's
 * own folders are not. Never fails.
 */
export const isOfProject = Effect.fn("Applications.isOfProject")(function*(file: string, from: string) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const own = foldersOf(path, variables)
  const whole = path.resolve(from, file)
  if (knownApplications.some((application) => ownFiles(application, own, path).includes(whole))) return false
  const places = knownApplications.flatMap(({ project }) =>
    project.map((place) => path.join(path.sep, ...place.split("/")))
  )
  if (places.some((place) => whole.endsWith(place))) return true
  const root = (yield* ofProject(path.resolve(from), own.home)).at(-1)
  if (root !== undefined && !path.relative(root, whole).startsWith("..")) return true
  return (yield* upToRepository(path.dirname(whole), own.home)).isRepository
})

/** Reads one file as an application's. Null when it is not there, or holds nothing about servers. */
const look = Effect.fnUntraced(function*({ application, file, scope }: Candidate, from: string) {
  const source = yield* read({ file, shape: application.shape, isOwn: scope === "user", from })
  if (source === null) return null
  const { found } = source
  const isEmpty = Result.isSuccess(found) && found.success.servers.length === 0 && found.success.skipped.length === 0
  return isEmpty ? null : { ...source, application, scope }
})

type Candidate = Pick<Source, "application" | "file" | "scope">

/** A file to read, and how. */
export interface Question {
  /** Absolute. */
  readonly file: string
  /** Null for the shape that the file tells of itself. */
  readonly shape: ConfigShape.ShapeName | null
  /** True for a file of a person's own, which belongs to no project. */
  readonly isOwn: boolean
  /** The folder the person stands in. */
  readonly from: string
}

/** A file that is there. */
export interface Answer {
  /** Absolute. */
  readonly file: string
  readonly shape: ConfigShape.ShapeName
  /** The folder that its relative paths start from; null when that cannot be told. */
  readonly folder: string | null
  /** What it holds, or why it cannot be read. */
  readonly found: Result.Result<ConfigShape.Found, InvalidFile>
}

/**
 * Reads a file as an application's. Null when it is not there; a file that cannot be read, is larger than 1 MB or is not
 * what its shape asks for is told by `found`.
 */
export const read = Effect.fn("Applications.read")(function*({ file, from, isOwn, shape }: Question) {
  const text = yield* Effect.result(ConfigFile.readText(file))
  if (Result.isFailure(text)) {
    const error = ConfigFile.unreadable({ name: file }, text.failure)
    if (error === null) return null
    return { file, shape: shape ?? "native", folder: null, found: Result.fail(error) } satisfies Answer
  }
  const root = yield* ConfigText.parse(text.success, ConfigText.formatOf(file))
  const around = yield* surroundings(file, from)
  const isBare = file.endsWith(".mcprc")
  const context = { ...around, workspace: isOwn ? null : around.workspace, isBare }
  const detected = Result.isSuccess(root) ? ConfigShape.detect(root.success, isBare) : "native"
  const name = shape ?? detected
  const found = Result.flatMap(root, (node) => ConfigShape.find(node, name, context))
  const inWords = Result.mapError(found, (fault) => new InvalidFile({ file, ...fault }))
  return { file, shape: name, folder: context.workspace, found: inWords } satisfies Answer
})

// The folders that applications keep a person's own files in, and those of the project a person stands in.

/** The folders of a person. Where a variable is not set there is no such folder. */
export interface Folders {
  readonly home: ReadonlyArray<string>
  /** Where programs with windows keep their settings, on whichever system this is. */
  readonly support: ReadonlyArray<string>
  /** `XDG_CONFIG_HOME`, or `.config` in the home folder. */
  readonly config: ReadonlyArray<string>
  /** A folder that a variable names, else one below the home folder. */
  readonly named: (variable: string, below: string) => ReadonlyArray<string>
}

/** The folders that the variables tell. */
export const foldersOf = (path: Path.Path, variables: Readonly<Record<string, string | undefined>>): Folders => {
  const folder = (name: string): ReadonlyArray<string> => {
    const value = variables[name]
    return value !== undefined && path.isAbsolute(value) ? [value] : []
  }
  const home = [...folder("HOME"), ...folder("USERPROFILE")].slice(0, 1)
  const xdg = folder("XDG_CONFIG_HOME")
  const config = xdg.length > 0 ? xdg : home.map((one) => path.join(one, ".config"))
  return {
    home,
    config,
    support: [...folder("APPDATA"), ...home.map((one) => path.join(one, "Library", "Application Support")), ...config],
    named: (variable, below) => {
      const named = folder(variable)
      return named.length > 0 || below === "" ? named : home.map((one) => path.join(one, below))
    }
  }
}

/** The folder a person stands in and those above it up to the repository's root; a home folder is no project. */
export const ofProject = Effect.fnUntraced(function*(from: string, home: ReadonlyArray<string>) {
  const above = yield* upToRepository(from, home)
  return above.isRepository ? above.folders : above.folders.slice(0, 1)
})

/** A folder and those above it, up to the root of its repository if it is in one; a home folder and above are left out. */
export const upToRepository = Effect.fnUntraced(function*(from: string, home: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folders: Array<string> = []
  for (let folder = from, above = ""; folder !== above; folder = path.dirname(folder)) {
    if (home.includes(folder)) break
    folders.push(folder)
    const isRepository = yield* Effect.orElseSucceed(fs.exists(path.join(folder, ".git")), () => false)
    if (isRepository) return { folders, isRepository }
    above = folder
  }
  return { folders, isRepository: false }
})

// The table of applications: which shape their files have, and where they keep them.

/** An application whose files are known. */
export interface Application {
  /** What `mcp import` calls it. */
  readonly id: string
  readonly title: string
  readonly shape: ConfigShape.ShapeName
  /** Its files in a person's own folders, the one that wins first. */
  readonly own: (folders: Folders) => ReadonlyArray<ReadonlyArray<string>>
  /** Its files in a project, below the project's folder. */
  readonly project: ReadonlyArray<string>
}

const at = (folders: ReadonlyArray<string>, ...parts: ReadonlyArray<string>) => folders.map((one) => [one, ...parts])

const EDITORS = ["Code", "Code - Insiders", "VSCodium"]

const inEditors = (support: ReadonlyArray<string>, ...parts: ReadonlyArray<string>) =>
  EDITORS.flatMap((editor) => at(support, editor, "User", ...parts))

/** Every application whose files are known, sorted by name. */
export const knownApplications: ReadonlyArray<Application> = [
  {
    id: "1mcp",
    title: "1MCP",
    shape: "1mcp",
    own: ({ config, named }) => [...at(named("ONE_MCP_CONFIG_DIR", ""), "mcp.json"), ...at(config, "1mcp", "mcp.json")],
    project: []
  },
  {
    id: "claude-code",
    title: "Claude Code",
    shape: "claude",
    own: ({ home, named }) => [...at(named("CLAUDE_CONFIG_DIR", ""), ".claude.json"), ...at(home, ".claude.json")],
    project: [".mcp.json"]
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    shape: "claude",
    own: ({ support }) => at(support, "Claude", "claude_desktop_config.json"),
    project: []
  },
  {
    id: "cline",
    title: "Cline",
    shape: "cline",
    own: ({ home, support }) => [
      ...at(home, ".cline", "data", "settings", "cline_mcp_settings.json"),
      ...inEditors(support, "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")
    ],
    project: []
  },
  {
    id: "codex",
    title: "Codex",
    shape: "codex",
    own: ({ named }) => at(named("CODEX_HOME", ".codex"), "config.toml"),
    project: [".codex/config.toml"]
  },
  {
    id: "cursor",
    title: "Cursor",
    shape: "cursor",
    own: ({ home }) => at(home, ".cursor", "mcp.json"),
    project: [".cursor/mcp.json"]
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    shape: "gemini",
    own: ({ home }) => at(home, ".gemini", "settings.json"),
    project: [".gemini/settings.json"]
  },
  {
    id: "goose",
    title: "goose",
    shape: "goose",
    own: ({ config, support }) => [
      ...at(config, "goose", "config.yaml"),
      ...at(support, "Block", "goose", "config", "config.yaml")
    ],
    project: []
  },
  {
    id: "kode",
    title: "Kode",
    shape: "kode",
    own: ({ home }) => at(home, ".kode.json"),
    project: [".mcprc"]
  },
  {
    id: "opencode",
    title: "opencode",
    shape: "opencode",
    own: ({ config, named }) => [
      ...at(named("OPENCODE_CONFIG", "")),
      ...["opencode.jsonc", "opencode.json", "config.json"].flatMap((file) => at(config, "opencode", file))
    ],
    project: [".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.jsonc", "opencode.json"]
  },
  {
    id: "roo",
    title: "Roo Code",
    shape: "roo",
    own: ({ support }) =>
      inEditors(support, "globalStorage", "rooveterinaryinc.roo-cline", "settings", "mcp_settings.json"),
    project: [".roo/mcp.json"]
  },
  {
    id: "vscode",
    title: "VS Code",
    shape: "vscode",
    own: ({ support }) => [...inEditors(support, "mcp.json"), ...inEditors(support, "settings.json")],
    project: [".vscode/mcp.json", ".vscode/settings.json", ".devcontainer/devcontainer.json"]
  },
  {
    id: "windsurf",
    title: "Windsurf",
    shape: "windsurf",
    own: ({ home }) => at(home, ".codeium", "windsurf", "mcp_config.json"),
    project: []
  }
]
