/**
 * The files in which applications keep their MCP servers, as they are found: on macOS, Linux and Windows, for a person and
 * in a project.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as ConfigFile from "./ConfigFile.ts"
import * as ConfigShape from "./ConfigShape.ts"
import * as ConfigText from "./ConfigText.ts"
import { Environment } from "./Environment.ts"
import * as Folders from "./Folders.ts"
import { all, type Application } from "./KnownApplications.ts"
import { InvalidFile } from "./McpConfigError.ts"
import { surroundings } from "./Surroundings.ts"

export { all, type Application } from "./KnownApplications.ts"

/**
 * A file of an application that is there.
 *
 * @category models
 */
export interface Source extends Answer {
  readonly application: Application
  readonly scope: "project" | "user"
}

/**
 * Looks for the files of applications: those of the project that a person stands in first, the nearest folder first,
 * then the person's own. Files that are not there, and those that hold nothing about servers, are left out. Starts
 * nothing, and never fails.
 *
 * @category scanning
 */
export const scan = Effect.fn("Applications.scan")(function*(
  from: string,
  applications: ReadonlyArray<Application> = all
) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const own = Folders.of(path, variables)
  const projects = yield* Folders.ofProject(path.resolve(from), own.home)
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

const ownFiles = (application: Application, folders: Folders.Folders, path: Path.Path) =>
  application.own(folders).map(([first = "", ...rest]) => path.join(first, ...rest))

/**
 * Tells whether a file is a project's, so that a stranger may have written it: it has the place of an application's file
 * in a project, or is in the project a person stands in, or in any repository. The files of applications in a person's
 * own folders are not. Never fails.
 *
 * @category scanning
 */
export const isOfProject = Effect.fn("Applications.isOfProject")(function*(file: string, from: string) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const own = Folders.of(path, variables)
  const whole = path.resolve(from, file)
  if (all.some((application) => ownFiles(application, own, path).includes(whole))) return false
  const places = all.flatMap(({ project }) => project.map((place) => path.join(path.sep, ...place.split("/"))))
  if (places.some((place) => whole.endsWith(place))) return true
  const root = (yield* Folders.ofProject(path.resolve(from), own.home)).at(-1)
  if (root !== undefined && !path.relative(root, whole).startsWith("..")) return true
  return (yield* Folders.upToRepository(path.dirname(whole), own.home)).isRepository
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

/**
 * A file to read, and how.
 *
 * @category models
 */
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

/**
 * A file that is there.
 *
 * @category models
 */
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
 *
 * @category scanning
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
