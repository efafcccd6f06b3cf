/**
 * The folders that applications keep a person's own files in, and those of the project a person stands in.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

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
export const of = (path: Path.Path, variables: Readonly<Record<string, string | undefined>>): Folders => {
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
