/**
 * The files in which applications keep their MCP servers, as they are found: on macOS, Linux and Windows, for a person and
 * in a project.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as OwnEntry from "../entry/OwnEntry.ts"
import { Environment } from "../model/Environment.ts"
import { InvalidFile } from "../model/McpConfigError.ts"
import * as ConfigFile from "../read/ConfigFile.ts"
import { projectFolders, surroundings, upToRepository } from "../read/ConfigFiles.ts"
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
  const own = ownFolders(path, variables)
  const projects = yield* projectFolders(path.resolve(from), own.home)
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

/**
 * Tells whether a file is a project's, so that somebody else may have written it: it has the place of an application's file
 * in a project, or is in the project a person stands in, or in any repository. The files of applications in a person's
 * own folders are not. Never fails.
 */
export const isOfProject = Effect.fn("Applications.isOfProject")(function*(file: string, from: string) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const own = ownFolders(path, variables)
  const whole = path.resolve(from, file)
  if (knownApplications.some((application) => ownFiles(application, own, path).includes(whole))) return false
  const places = knownApplications.flatMap(({ project }) =>
    project.map((place) => path.join(path.sep, ...place.split("/")))
  )
  if (places.some((place) => whole.endsWith(place))) return true
  const root = (yield* projectFolders(path.resolve(from), own.home)).at(-1)
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
  /** Its servers, or why it cannot be read. */
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
  const found = Result.map(Result.flatMap(root, (node) => ConfigShape.find(node, name, context)), withoutOwn)
  const inWords = Result.mapError(found, (fault) => new InvalidFile({ file, ...fault }))
  return { file, shape: name, folder: context.workspace, found: inWords } satisfies Answer
})

/** Skips the entry that `boocode connect` wrote there. */
const withoutOwn = (found: ConfigShape.Found): ConfigShape.Found => {
  const entries = found.servers.map((member) => ({
    name: member.key,
    isOwn: ConfigShape.contentOf({ servers: [member], notes: [], skipped: [] }).entries.some(OwnEntry.isOwn)
  }))
  const own = new Set(entries.filter(({ isOwn }) => isOwn).map(({ name }) => name))
  return own.size === 0 ? found : ConfigShape.without(found, (name) => own.has(name), "it starts BooCode itself")
}

/** An application whose files are known. */
export interface Application {
  /** Its name for `mcp import`. */
  readonly id: string
  readonly title: string
  readonly shape: ConfigShape.ShapeName
  /**
   * Its files among a person's own, the one that wins first. They begin with `~`, with `config` (`XDG_CONFIG_HOME`), with
   * `support` (where programs with windows keep their settings), with `editors` (VS Code and its relatives), with a
   * `$VARIABLE`, or with `$VARIABLE:folder`, where the folder below `~` stands for a variable that is not set.
   */
  readonly own: ReadonlyArray<string>
  /** Its files in a project, below the project's folder. */
  readonly project: ReadonlyArray<string>
}

const application = (
  id: string,
  title: string,
  shape: ConfigShape.ShapeName,
  own: ReadonlyArray<string>,
  ...project: ReadonlyArray<string>
): Application => ({ id, title, shape, own, project })

const CLINE = "settings/cline_mcp_settings.json"
const ROO = "editors/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"

/** Every application whose files are known, sorted by name. */
export const knownApplications: ReadonlyArray<Application> = [
  application("1mcp", "1MCP", "1mcp", ["$ONE_MCP_CONFIG_DIR/mcp.json", "config/1mcp/mcp.json"]),
  application(
    "claude-code",
    "Claude Code",
    "claude",
    ["$CLAUDE_CONFIG_DIR/.claude.json", "~/.claude.json"],
    ".mcp.json"
  ),
  application("claude-desktop", "Claude Desktop", "claude", ["support/Claude/claude_desktop_config.json"]),
  application("cline", "Cline", "cline", [
    `~/.cline/data/${CLINE}`,
    `editors/globalStorage/saoudrizwan.claude-dev/${CLINE}`
  ]),
  application("codex", "Codex", "codex", ["$CODEX_HOME:.codex/config.toml"], ".codex/config.toml"),
  application("cursor", "Cursor", "cursor", ["~/.cursor/mcp.json"], ".cursor/mcp.json"),
  application("gemini", "Gemini CLI", "gemini", ["~/.gemini/settings.json"], ".gemini/settings.json"),
  application("goose", "goose", "goose", ["config/goose/config.yaml", "support/Block/goose/config/config.yaml"]),
  application("kode", "Kode", "kode", ["~/.kode.json"], ".mcprc"),
  application(
    "opencode",
    "opencode",
    "opencode",
    [
      "$OPENCODE_CONFIG",
      ...["opencode.jsonc", "opencode.json", "config.json"].map((file) => `config/opencode/${file}`)
    ],
    ...[".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.jsonc", "opencode.json"]
  ),
  application("roo", "Roo Code", "roo", [ROO], ".roo/mcp.json"),
  application(
    "vscode",
    "VS Code",
    "vscode",
    ["editors/mcp.json", "editors/settings.json"],
    ...[".vscode/mcp.json", ".vscode/settings.json", ".devcontainer/devcontainer.json"]
  ),
  application("windsurf", "Windsurf", "windsurf", ["~/.codeium/windsurf/mcp_config.json"]),
  application(
    "zed",
    "Zed",
    "zed",
    ["config/zed/settings.json", "support/Zed/settings.json"],
    ".zed/settings.json"
  )
]

const EDITORS = ["Code", "Code - Insiders", "VSCodium"]

/** Where a person's own files of applications stand. */
export interface OwnFolders {
  /** A person's home; none where no variable tells it. */
  readonly home: ReadonlyArray<string>
  /** The folders that the first step of a place stands for. */
  readonly named: (step: string) => ReadonlyArray<string>
}

/** The folders that places of applications begin with, as the variables have them. */
export const ownFolders = (path: Path.Path, variables: Readonly<Record<string, string | undefined>>): OwnFolders => {
  const folder = (name: string): ReadonlyArray<string> => {
    const value = variables[name]
    return value !== undefined && path.isAbsolute(value) ? [value] : []
  }
  const home = [...folder("HOME"), ...folder("USERPROFILE")].slice(0, 1)
  const below = (...parts: ReadonlyArray<string>) => home.map((one) => path.join(one, ...parts))
  const xdg = folder("XDG_CONFIG_HOME")
  const config = xdg.length > 0 ? xdg : below(".config")
  const support = [...folder("APPDATA"), ...below("Library", "Application Support"), ...config]
  const editors = EDITORS.flatMap((editor) => support.map((one) => path.join(one, editor, "User")))
  const known = new Map([["~", home], ["config", config], ["support", support], ["editors", editors]])
  return {
    home,
    named: (step) => {
      const [name = "", fallback] = step.slice(1).split(":")
      const found = known.get(step) ?? folder(name)
      return found.length === 0 && fallback !== undefined ? below(fallback) : found
    }
  }
}

const ownFiles = ({ own }: Application, folders: OwnFolders, path: Path.Path): ReadonlyArray<string> =>
  own.flatMap((place) => filesAt(place, folders, path))

/** The files that a place stands for, the likeliest first; none where no variable tells where it is. */
export const filesAt = (place: string, { named }: OwnFolders, path: Path.Path): ReadonlyArray<string> => {
  const [first = "", ...rest] = place.split("/")
  return named(first).map((folder) => path.join(folder, ...rest))
}
