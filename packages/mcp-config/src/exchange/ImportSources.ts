/** The files that an import reads: those of applications on this machine, or the one that is named. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as ConfigShape from "../shapes/ConfigShape.ts"
import * as JsonNode from "../text/JsonNode.ts"
import * as Applications from "./Applications.ts"
import type { Pasted } from "./PastedText.ts"

/** A file with what it holds. Application and scope are null for a file that was named. */
export interface ImportSource extends Applications.Answer {
  readonly application: Applications.Application | null
  readonly scope: Applications.Source["scope"] | null
}

/** There is no such application or file. */
export class SourceAbsent extends Data.TaggedError("SourceAbsent")<{
  readonly message: string
  readonly hint: string
}> {}

/** The applications that a word names, by id or shape; none for a path. */
export const applicationsOf = (source: string): ReadonlyArray<Applications.Application> =>
  /[./\\]/.test(source)
    ? []
    : Applications.knownApplications.filter((one) => one.id === source || one.shape === source)

/**
 * The files of all applications, as somebody who stands in the folder `from` has them. Servers of project files are
 * skipped unless `takesProject`.
 */
export const everything = Effect.fnUntraced(function*(from: string, takesProject: boolean) {
  const found = yield* Applications.scan(from)
  return takesProject ? found : found.map(withoutProject)
})

/** One file. Fails with `SourceAbsent`, or `InvalidFile` when it cannot be read. */
export const ofFile = Effect.fnUntraced(function*(from: string, source: string, shape: ConfigShape.ShapeName | null) {
  const path = yield* Path.Path
  const read = yield* Applications.read({ file: path.resolve(from, source), shape, isOwn: false, from })
  if (read === null) return yield* absent(source)
  if (Result.isFailure(read.found)) return yield* read.found.failure
  const scope = (yield* Applications.isOfProject(read.file, from)) ? "project" as const : null
  return { ...read, application: null, scope } satisfies ImportSource
})

/** The files of some applications. Fails with `SourceAbsent`, or `InvalidFile` when the only one cannot be read. */
export const ofApplications = Effect.fnUntraced(function*(
  from: string,
  applications: ReadonlyArray<Applications.Application>,
  takesProject: boolean
) {
  const all = yield* Applications.scan(from, applications)
  const found = all.filter(({ scope }) => takesProject || scope === "user")
  const [broken] = found.flatMap((one) => Result.isFailure(one.found) ? [one.found.failure] : [])
  if (broken !== undefined && found.length === 1) return yield* broken
  return found.length === 0 ? yield* nowhere(applications, all) : takesProject ? all : all.map(withoutProject)
})

const absent = (source: string) =>
  new SourceAbsent({
    message: `${source} is neither a file that is there nor an application`,
    hint: `name a file, or one of ${Applications.knownApplications.map(({ id }) => id).join(", ")}`
  })

const nowhere = (
  applications: ReadonlyArray<Applications.Application>,
  ofProject: ReadonlyArray<Applications.Source>
) => {
  const titles = applications.map(({ title }) => title).join(" or ")
  const files = ofProject.map((one) => one.file).join(" or ")
  return new SourceAbsent({
    message: `no file of ${titles} with servers was found${files === "" ? "" : " but the project's"}`,
    hint: files === ""
      ? "docs/import.md says where it is looked for; name the file if it is elsewhere"
      : `a stranger may have written what a project brings along; to import it name the file: ${files}`
  })
}

/** Skips the servers of project files: in a file of this person they would be trusted without approval. */
const withoutProject = (source: Applications.Source): Applications.Source =>
  source.scope !== "project" ? source : {
    ...source,
    found: Result.map(source.found, (found) =>
      ConfigShape.without(found, () =>
        true, `it is in a file of the project; if you trust it, name that file: ${source.file}`))
  }

/** Skips names that an earlier file of the same application has, which wins there, too. */
export const withoutSeen = (found: ConfigShape.Found, seen: ReadonlySet<string>): ConfigShape.Found =>
  ConfigShape.without(
    found,
    (name) => seen.has(name),
    "another file of this application has it too, and that one counts"
  )

/** Only the servers of these names, and what is said about them or about no server. */
export const only = (found: ConfigShape.Found, names: ReadonlySet<string>): ConfigShape.Found => ({
  servers: found.servers.filter(({ key }) => names.has(key)),
  notes: found.notes.filter(({ server }) => server === null || names.has(server)),
  skipped: found.skipped.filter((name) => names.has(name))
})

/** A pasted text as a source. Servers that can never work are skipped, and remarks about a server are among the notes. */
export const ofPasted = ({ problems, servers, shape }: Pasted): ImportSource => {
  const usable = servers.filter(({ refused }) => refused === null)
  const note = (server: string | null, key: string | null, detail: string): ConfigShape.Note => ({
    ...{ server, at: JsonNode.START, matters: true, detail },
    key: server === null ? "text" : `mcpServers.${server}${key === null ? "" : `.${key}`}`
  })
  return {
    application: null,
    scope: null,
    file: "text",
    shape: ConfigShape.names.find((name) => name === shape) ?? "native",
    folder: null,
    found: Result.succeed({
      servers: usable.map(({ entry, name }) => ({
        key: name,
        at: JsonNode.START,
        value: JsonNode.fromValue(entry),
        path: `mcpServers.${name}`
      })),
      notes: [
        ...servers.flatMap(({ name, refused }) =>
          refused === null ? [] : [note(name, null, `${refused.message}: ${refused.hint}`)]
        ),
        ...usable.flatMap(({ name, warnings }) => warnings.map(({ key, message }) => note(name, key, message))),
        ...problems.map(({ message }) => note(null, null, message))
      ],
      skipped: servers.flatMap(({ name, refused }) => refused === null ? [] : [name])
    })
  }
}
