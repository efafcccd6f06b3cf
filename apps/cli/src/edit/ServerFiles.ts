/** The files that may hold servers, and the one that an edit changes. */
import type { DataFolder } from "@boocode/chat-server/DataFolder"
import {
  ConfigEditor,
  ConfigFile,
  ConfigFiles,
  type ConfiguredServer,
  EditedFile,
  Environment,
  type Scopes
} from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Backend } from "../backend/Backend.ts"
import { place } from "../backend/VerbContext.ts"
import type { Options } from "../options/Options.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { Failed, failed, Usage } from "../terminal/Failure.ts"

export type Scope = "data" | "project" | "user"

export interface ServerFile {
  readonly file: ConfigFiles.Candidate
  readonly content: ConfigFile.Content
}

export interface Files {
  /** The highest scope first, whether they are there or not. */
  readonly all: ReadonlyArray<ServerFile>
  /** The scope of a new server when none is given. */
  readonly home: Scope
  /** Whether the data file was named. When such a file is missing, no other file is read. */
  readonly dataFileIsNamed: boolean
  /** False when `--config` names the only file. */
  readonly hasScopes: boolean
  /** Folders that are searched for commands after PATH. */
  readonly searchAfterPath: ReadonlyArray<string>
  /** Where the values of variables are kept. */
  readonly envFile: string
  /** Where data and state are. */
  readonly folder: typeof DataFolder.Service
}

export const withFiles = <A, E, R>(options: Options, use: (files: Files) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const where = yield* place(options)
    const { envFile, environment, folder, scopes, searchAfterPath } = yield* Backend.use((backend) =>
      backend.files(where)
    )
    const program = Effect.gen(function*() {
      const all = yield* read(scopes)
      const isDataInUse = where.dataDir !== null || where.isNamed || all[0]?.content.source?.state !== "absent"
      return yield* use({
        all,
        home: isDataInUse ? "data" : "user",
        dataFileIsNamed: scopes.dataFileIsNamed === true,
        hasScopes: where.configFile === null,
        searchAfterPath,
        envFile,
        folder
      })
    })
    return yield* Effect.provideService(program, Environment, environment)
  })

const read = Effect.fnUntraced(function*(scopes: Scopes) {
  const candidates = yield* ConfigFiles.of(scopes)
  return yield* Effect.forEach(
    candidates,
    (file) => Effect.map(ConfigFile.read(file), (content): ServerFile => ({ file, content }))
  )
})

export const again = (files: Files, changed: ServerFile) =>
  Effect.map(ConfigFile.read(changed.file), (content): Files => ({
    ...files,
    all: files.all.map((one) => one.file === changed.file ? { ...one, content } : one)
  }))

/** The file for a new server. In a project: the nearest existing one, else a new one at its root. */
export const forNew = Effect.fnUntraced(function*(files: Files, scope: Scope | null) {
  yield* checkScope(files, scope)
  const kind = scope ?? files.home
  const ofScope = files.all.filter(({ file }) => file.scope === kind)
  const nearest = ofScope.find(({ content }) => content.source?.state !== "absent")
  const atRoot = ofScope.findLast(({ file }) => file.path.endsWith(".mcp.json"))
  const found = kind === "project" ? nearest ?? atRoot : ofScope[0]
  if (found !== undefined) return yield* unlessOwn(files, found)
  return yield* new Failed({
    tag: "NoFile",
    message: `there is no file for the ${kind} scope`,
    hint: "set HOME, or choose another --scope"
  })
})

/** Refuses a project file that links to a file of this person, where entries need no approval. */
const unlessOwn = Effect.fnUntraced(function*(files: Files, found: ServerFile) {
  if (found.file.scope !== "project") return found
  const target = yield* behind(found)
  for (const own of files.all.filter(({ file }) => file.scope !== "project")) {
    if (target === null || target !== (yield* behind(own))) continue
    return yield* new Failed({
      tag: "OtherScope",
      message: `${found.file.path} leads to ${own.file.name}, which is a file of your own`,
      hint: `remove that link, or choose it with --scope ${own.file.scope}`
    })
  }
  return found
})

/** The file that an edit would change. */
const behind = ({ file }: ServerFile) =>
  EditedFile.preview(file, Result.succeed).pipe(
    Effect.map((edited) => edited.file),
    Effect.orElseSucceed(() => null)
  )

/** The file that has a server: the one whose entry is in use, or the one of a scope. */
export const holding = Effect.fnUntraced(function*(files: Files, name: string, scope: Scope | null) {
  yield* checkScope(files, scope)
  const holders = holdersOf(files.all, name)
  const found = scope === null
    ? holdersOf(counting(files), name)[0]
    : holders.find(({ file }) => file.scope === scope)
  if (found !== undefined) return found
  if (holders.length === 0) return yield* notThere(files, name)
  return yield* new Failed({
    tag: "OtherScope",
    message: scope === null ? `no file in use here has a server called ${name}` : `no ${scope} file has ${name}`,
    hint: `it is in ${holders.map(({ file }) => `${file.name} (--scope ${file.scope})`).join(" and in ")}`
  })
})

export const inUse = (files: Files, name: string) => {
  const [holder] = holdersOf(counting(files), name)
  const server = holder === undefined ? undefined : serverOf(holder, name)
  return holder === undefined || server === undefined ? null : { file: holder.file, server }
}

/** Later files that have a server of this name, too. */
export const below = (files: Files, { file }: ServerFile, name: string): ReadonlyArray<ServerFile> =>
  holdersOf(files.all.slice(files.all.findIndex((one) => one.file === file) + 1), name)

const counting = ({ all, dataFileIsNamed }: Files): ReadonlyArray<ServerFile> =>
  dataFileIsNamed && all[0]?.content.source?.state === "absent" ? all.slice(0, 1) : all

const holdersOf = (files: ReadonlyArray<ServerFile>, name: string): ReadonlyArray<ServerFile> =>
  files.filter((one) => serverOf(one, name) !== undefined)

export const serverOf = ({ content }: ServerFile, name: string): ConfiguredServer | undefined =>
  content.servers.find((server) => server.name === name)

/** The names of the servers in a text of a file; none when it cannot be read. */
export const namesIn = ({ file }: ServerFile, text: string): ReadonlyArray<string> =>
  Result.getOrElse(ConfigEditor.names(text, { bare: file.path.endsWith(".mcprc") }), () => [])

const checkScope = (files: Files, scope: Scope | null) =>
  files.hasScopes || scope === null ? Effect.void : Effect.fail(
    new Usage({ message: "--config names the file, so there is no scope to choose", hint: "give one of the two" })
  )

/** When a file cannot be read, the server may be in it. */
const notThere = ({ all }: Files, name: string): Failed => {
  const broken = all.map(({ content }) => content.source?.error ?? undefined).find((error) => error !== undefined)
  const names = all.flatMap(({ content }) => content.servers.map((server) => server.name))
  return broken === undefined ? ErrorHints.unknownServer(name, names) : failed(broken)
}
