/** A registry in a folder: each `.json` file is a recorded answer, a page, one version, or a bare server.json. */
import { JsonObjectText, Nearest } from "@boocode/mcp-config"
import { RegistryAnswer } from "@boocode/mcp-config/Published"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { RegistryUnreachable, UnknownPublished } from "./RegistryFailure.ts"
import type { Kept, Search, Source } from "./RegistrySource.ts"

const PAGE = 30
const MOST_FILES = 1000
const MOST_BYTES = 8_000_000

/** Reads the folder anew for each request. A file that cannot be read fails the request and is named. */
export const make = Effect.fnUntraced(function*(folder: string) {
  const needs = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const all = Effect.provideContext(versions(folder), needs)
  return {
    known: (name) =>
      Effect.map(all, (found) => {
        const one = newest(found).find((each) => each.name === name)
        return one === undefined ? null : now(one.answer)
      }),
    page: (search) => Effect.map(all, (found) => now(pageOf(newest(found), search))),
    version: Effect.fnUntraced(function*(name, version) {
      const found = yield* all
      const one = version === null
        ? newest(found).find((each) => each.name === name)
        : found.find((each) => each.name === name && each.version === version)
      return one === undefined ? yield* unknown(folder, name, version, found) : now(one.answer)
    }),
    versions: Effect.fnUntraced(function*(name) {
      const found = yield* all
      const same = found.filter((each) => each.name === name).toSorted((one, other) => byVersion(other, one))
      if (same.length === 0) return yield* unknown(folder, name, null, found)
      return now({ servers: same.map(wrapped) })
    })
  } satisfies Source
})

interface Version {
  readonly name: string
  readonly version: string
  readonly isLatest: boolean | null
  readonly words: string
  readonly answer: Schema.Json
}

const now = (answer: unknown): Kept<unknown> => ({ answer, keptAt: null })

const versions = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.mapError(fs.readDirectory(folder), (cause) => broken(folder, "cannot be read", cause))
  const files = names.filter((name) => name.endsWith(".json")).toSorted()
  if (files.length > MOST_FILES) return yield* broken(folder, `has more than ${MOST_FILES} files`)
  return (yield* Effect.forEach(files, (name) => inFile(path.join(folder, name)))).flat()
})

const inFile = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(fs.readFileString(file), (cause) => broken(file, "cannot be read", cause))
  if (text.length > MOST_BYTES) return yield* broken(file, `is longer than ${MOST_BYTES} bytes`)
  const read = JsonObjectText.read(text)
  if (Result.isFailure(read)) {
    return yield* broken(`${file}:${read.failure.line}:${read.failure.column}`, read.failure.detail)
  }
  const { servers } = read.success
  const answers: ReadonlyArray<Schema.Json> = Array.isArray(servers) ? servers : [read.success]
  return yield* Effect.forEach(answers, (answer) =>
    Result.match(RegistryAnswer.one(answer), {
      onSuccess: ({ description, isLatest, name, title, version }) =>
        Effect.succeed<Version>({
          ...{ name, version, isLatest, answer },
          words: `${name} ${title ?? ""} ${description}`.toLowerCase()
        }),
      onFailure: ({ detail }) => Effect.fail(broken(file, detail))
    }))
})

const broken = (file: string, why: string, cause?: unknown) =>
  new RegistryUnreachable({
    message: `the recorded answers of the registry: ${file} ${why}`,
    hint: "correct that file, or take it out of the folder",
    ...(cause === undefined ? {} : { cause })
  })

const unknown = (folder: string, name: string, version: string | null, all: ReadonlyArray<Version>) => {
  const others = all.filter((one) => one.name === name).map((one) => one.version)
  const nearest = Nearest.nearest(name, [...new Set(all.map((one) => one.name))])
  return new UnknownPublished({
    message: `there is no ${name}${version === null ? "" : ` ${version}`} in ${folder}`,
    hint: others.length > 0
      ? `there is ${others.join(", ")}`
      : nearest.length > 0
      ? `did you mean ${nearest.join(" or ")}?`
      : "look for it with boocode mcp discover WORDS",
    nearest
  })
}

/** One version of each server: the one that says that it is the latest, else the highest. */
const newest = (all: ReadonlyArray<Version>): ReadonlyArray<Version> =>
  [...Map.groupBy(all, ({ name }) => name).values()].flatMap((same) =>
    same.find(({ isLatest }) => isLatest === true) ?? same.toSorted(byVersion).at(-1) ?? []
  )

const byVersion = (one: Version, other: Version): number => {
  const [core, rest] = partsOf(one.version)
  const [otherCore, otherRest] = partsOf(other.version)
  const isRelease = Number(rest === "") - Number(otherRest === "")
  return numerically(core, otherCore) || isRelease || numerically(rest, otherRest)
}

const numerically = (one: string, other: string): number => one.localeCompare(other, "en", { numeric: true })

/** The numbers of a version, and what makes it an early one: `-beta.1` of semver, `rc1` of Python. */
const partsOf = (version: string): readonly [string, string] => {
  const [core = ""] = /^v?\d+(\.\d+)*(\.post\d+)?/.exec(version) ?? []
  return [core, version.slice(core.length).replace(/\+.*$/, "")]
}

const pageOf = (all: ReadonlyArray<Version>, { cursor, search }: Search) => {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "")
  const found = all.filter((one) => words.every((word) => one.words.includes(word)))
  const start = Math.max(0, Number(cursor ?? 0) || 0)
  const shown = found.slice(start, start + PAGE)
  const isMore = found.length > start + PAGE
  return {
    servers: shown.map(wrapped),
    metadata: { nextCursor: isMore ? String(start + PAGE) : null }
  }
}

const wrapped = ({ answer }: Version): Schema.Json =>
  JsonObjectText.isObject(answer) && answer["server"] !== undefined ? answer : { server: answer }
