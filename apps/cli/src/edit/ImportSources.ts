/** The files that `mcp import` reads: those of applications on this machine, or the one that is named. */
import { Applications, type ConfigShape } from "@boocode/mcp-config/Exchange"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { currentFolder } from "../options/DataLocation.ts"
import { Failed, failed, Usage } from "../terminal/Failure.ts"
import type { Read } from "./ImportReport.ts"

export type Source = Omit<Applications.Source, "application" | "scope"> & Pick<Read, "application" | "scope">

/** The files of all applications. Servers of project files are skipped unless `takesProject`. */
export const everything = Effect.fnUntraced(function*(takesProject: boolean) {
  const found = yield* Applications.scan(yield* currentFolder)
  return takesProject ? found : found.map(withoutProject)
})

/** The files of the application that a word names, or the one file. */
export const named = Effect.fnUntraced(function*(
  source: string,
  shape: ConfigShape.ShapeName | null,
  takesProject: boolean
) {
  const applications = Applications.knownApplications.filter((one) => one.id === source || one.shape === source)
  const isName = applications.length > 0 && !/[./\\]/.test(source)
  if (!isName) return [yield* file(source, shape)]
  if (shape !== null) {
    return yield* new Usage({ message: "--shape is for files: an application's shape is known", hint: "leave it out" })
  }
  return yield* ofApplications(applications, takesProject)
})

const file = Effect.fnUntraced(function*(source: string, shape: ConfigShape.ShapeName | null) {
  const from = yield* currentFolder
  const path = yield* Path.Path
  const read = yield* Applications.read({ file: path.resolve(from, source), shape, isOwn: false, from })
  if (read === null) return yield* absent(source)
  if (Result.isFailure(read.found)) return yield* failed(read.found.failure)
  const scope = (yield* Applications.isOfProject(read.file, from)) ? "project" as const : null
  return { ...read, application: null, scope } satisfies Source
})

const ofApplications = Effect.fnUntraced(function*(
  applications: ReadonlyArray<Applications.Application>,
  takesProject: boolean
) {
  const all = yield* Applications.scan(yield* currentFolder, applications)
  const found = all.filter(({ scope }) => takesProject || scope === "user")
  const [broken] = found.flatMap((one) => Result.isFailure(one.found) ? [one.found.failure] : [])
  if (broken !== undefined && found.length === 1) return yield* failed(broken)
  return found.length === 0 ? yield* nowhere(applications, all) : takesProject ? all : all.map(withoutProject)
})

const absent = (source: string) =>
  new Failed({
    tag: "SourceAbsent",
    message: `${source} is neither a file that is there nor an application`,
    hint: `name a file, or one of ${Applications.knownApplications.map(({ id }) => id).join(", ")}`
  })

const nowhere = (applications: ReadonlyArray<Applications.Application>, ofProject: ReadonlyArray<Source>) => {
  const titles = applications.map(({ title }) => title).join(" or ")
  const files = ofProject.map((one) => one.file).join(" or ")
  return new Failed({
    tag: "SourceAbsent",
    message: `no file of ${titles} with servers was found${files === "" ? "" : " but the project's"}`,
    hint: files === ""
      ? "docs/import.md says where it is looked for; name the file if it is elsewhere"
      : `a stranger may have written what a project brings along; to import it name the file: ${files}`
  })
}

/** Skips the servers of project files: in a file of this person they would be trusted without approval. */
const withoutProject = (source: Source): Source =>
  source.scope !== "project" ? source : {
    ...source,
    found: Result.map(source.found, (found) =>
      without(found, () =>
        true, `it is in a file of the project; if you trust it, name that file: ${source.file}`))
  }

/** Skips names that an earlier file of the same application has, which wins there, too. */
export const withoutSeen = (found: ConfigShape.Found, seen: ReadonlySet<string>): ConfigShape.Found =>
  without(found, (name) => seen.has(name), "another file of this application has it too, and that one counts")

/** Skips the servers of these names, each with a note. */
const without = (found: ConfigShape.Found, isOut: (name: string) => boolean, detail: string): ConfigShape.Found => {
  const out = found.servers.filter(({ key }) => isOut(key))
  const notes = out.map(({ at, key, path = key }) => ({ server: key, at, key: path, matters: true, detail }))
  return {
    servers: found.servers.filter(({ key }) => !isOut(key)),
    notes: [...found.notes.filter(({ server }) => server === null || !isOut(server)), ...notes],
    skipped: [...found.skipped, ...out.map(({ key }) => key)]
  }
}
