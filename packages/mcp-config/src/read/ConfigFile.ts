/** One configuration file: read, decoded by its shape, every entry made ready for use or shown to be broken. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as DeclaredEntry from "../entry/DeclaredEntry.ts"
import * as EnvFile from "../entry/EnvFile.ts"
import * as NativeEntry from "../entry/NativeEntry.ts"
import * as Resolution from "../entry/Resolution.ts"
import type { ConfigSource, ConfiguredServer } from "../model/Configuration.ts"
import { Environment } from "../model/Environment.ts"
import { InvalidFile } from "../model/McpConfigError.ts"
import type { ServerEntry, ShapeContent } from "../model/ServerEntry.ts"
import * as Recognition from "../shapes/Recognition.ts"
import * as ConfigText from "../text/ConfigText.ts"
import type { Written } from "../text/Field.ts"
import * as JsonNode from "../text/JsonNode.ts"
import { type Candidate, surroundings } from "./ConfigFiles.ts"

/** The services that reading a text as a file needs: its `envFile` is looked at, too. */
export type Needs = FileSystem.FileSystem | Path.Path | Environment

/** The servers and warnings of one file, whatever its state. */
export interface Content {
  /** Null for entries that come from no file. */
  readonly source: ConfigSource | null
  readonly servers: ReadonlyArray<ConfiguredServer>
  readonly warnings: ReadonlyArray<string>
}

/** Reads a file. Never fails: a file that is absent or broken is told by its source. */
export const read = Effect.fn("ConfigFile.read")(function*(candidate: Candidate) {
  const text = yield* Effect.result(readText(candidate.path))
  if (Result.isFailure(text)) return without(candidate, unreadable(candidate, text.failure))
  return yield* fromText(candidate, text.success)
})

/** The content of a file with this text, in the shape of any application. Never fails. */
export const fromText = Effect.fnUntraced(function*(candidate: Candidate, text: string) {
  const content = yield* decode(candidate.path, text)
  if (Result.isFailure(content)) {
    return without(candidate, new InvalidFile({ file: candidate.name, ...content.failure }))
  }
  const path = yield* Path.Path
  const folder = path.dirname(candidate.path)
  const place = { file: candidate.path, folder, scope: candidate.scope }
  const origin = yield* originOf(candidate.name, folder, place)
  return yield* resolveAll(content.success, origin, sourceOf(candidate, "read", null))
})

/** The entries that a text declares in a file of that path, variables not filled in. */
export const decode = Effect.fnUntraced(function*(file: string, text: string) {
  const root = yield* ConfigText.parse(text, ConfigText.formatOf(file))
  if (Result.isFailure(root)) return Result.fail(root.failure)
  const isBare = file.endsWith(".mcprc")
  const shape = Recognition.shapeOf(root.success, isBare)
  if (shape === "native") return NativeEntry.decode(root.success, { bare: isBare })
  // Few files are another application's, so what reads them is loaded when one is.
  const ConfigShape = yield* Effect.promise(() => import("../shapes/ConfigShape.ts"))
  return ConfigShape.decode(root.success, shape, { ...(yield* surroundings(file)), isBare })
})

/** Entries a program gives as values, by name. */
export const fromEntries = Effect.fn("ConfigFile.fromEntries")(function*(entries: Readonly<Record<string, unknown>>) {
  const path = yield* Path.Path
  const origin = yield* originOf("code", path.resolve("."), null)
  return yield* resolveAll(NativeEntry.decodeServers(JsonNode.fromValue(entries)), origin, null)
})

const originOf = (file: string, folder: string, place: DeclaredEntry.Place | null) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const { variables } = yield* Environment
    return {
      file,
      folder,
      needsApproval: place?.scope === "project",
      place,
      variables,
      path
    } satisfies Resolution.Origin
  })

const resolveAll = Effect.fnUntraced(function*(
  content: ShapeContent,
  origin: Resolution.Origin,
  source: ConfigSource | null
) {
  const servers = yield* Effect.forEach(content.entries, (entry) => resolveEntry(entry, origin))
  const warnings = content.remarks.map((remark) => Resolution.inWords(origin.file, remark))
  return { source, servers, warnings } satisfies Content
})

const resolveEntry = (entry: ServerEntry, origin: Resolution.Origin) => {
  const transport = Result.isSuccess(entry.declaration) ? entry.declaration.success.transport : null
  const written = transport?._tag === "stdio" ? transport.envFile : null
  const values: Effect.Effect<Resolution.EnvFileValues, never, FileSystem.FileSystem> = written === null
    ? Effect.succeed(null)
    : Effect.result(readEnvFile(written, origin))
  return Effect.map(values, (envFile) => Resolution.resolve(entry, origin, envFile))
}

const readEnvFile = Effect.fnUntraced(function*(written: Written, origin: Resolution.Origin) {
  const path = yield* Effect.fromResult(Resolution.envFilePath(written, origin))
  const hint = `write a path relative to the folder of ${origin.file}, or leave envFile out`
  const unusable = (detail: string): Resolution.Fault => ({
    _tag: "Trouble",
    trouble: { at: written.at, key: written.key, detail, hint }
  })
  const text = yield* Effect.mapError(
    readText(path),
    (detail) => unusable(typeof detail === "string" ? detail : "the file is not there or may not be read")
  )
  return EnvFile.parse(text)
})

const MAX_BYTES = ByteSize.mebibytes(1)
/** A folder of another machine may not answer at all. */
const PATIENCE = "10 seconds"

/**
 * The text of an ordinary file, within 10 s. A pipe or a device would be waited for, or read for ever, and all this
 * happens before anybody approved what a repository brought along.
 */
export const readText = (path: string) =>
  Effect.timeoutOrElse(textOf(path), {
    duration: PATIENCE,
    orElse: () => Effect.fail(`the file could not be read within ${PATIENCE}`)
  })

const textOf = Effect.fnUntraced(function*(path: string) {
  const fs = yield* FileSystem.FileSystem
  const { size, type } = yield* fs.stat(path)
  if (type === "Directory") return yield* Effect.fail("this is a folder, not a file")
  if (type !== "File") return yield* Effect.fail("this is not an ordinary file")
  if (ByteSize.isGreaterThan(size, MAX_BYTES)) return yield* Effect.fail("the file has more than 1 MB")
  return yield* fs.readFileString(path)
})

/** Why a file cannot be read; null when it is not there. */
export const unreadable = (
  candidate: Pick<Candidate, "name">,
  cause: string | { readonly reason: { readonly _tag: string } }
): InvalidFile | null => {
  const base = { file: candidate.name, line: null, column: null }
  if (typeof cause === "string") return new InvalidFile({ ...base, detail: cause })
  if (cause.reason._tag === "NotFound") return null
  const why = cause.reason._tag === "PermissionDenied" ? "may not be read" : `cannot be read (${cause.reason._tag})`
  return new InvalidFile({ ...base, detail: `the file ${why}`, cause })
}

const without = (candidate: Candidate, error: InvalidFile | null): Content => ({
  source: sourceOf(candidate, error === null ? "absent" : "invalid", error),
  servers: [],
  warnings: []
})

const sourceOf = (candidate: Candidate, state: ConfigSource["state"], error: InvalidFile | null): ConfigSource => ({
  file: candidate.name,
  scope: candidate.scope,
  state,
  hidden: [],
  error
})
