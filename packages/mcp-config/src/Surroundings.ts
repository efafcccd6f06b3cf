/**
 * Where a file stands, as far as its meaning depends on that.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { Environment } from "./Environment.ts"

/** Folders of a project that applications keep their own files in. */
const OWN_FOLDERS = new Set([".vscode", ".cursor", ".roo", ".codex", ".gemini", ".devcontainer", ".opencode"])

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
