/** The servers of another application that BooCode can take over, without the secrets that stand in them. */
import * as EntryVariables from "@boocode/chat-server/EntryVariables"
import { EnvFile, Environment } from "@boocode/mcp-config"
import {
  Applications,
  type Clients,
  type ConfigImport,
  type ConfigShape,
  ImportPlan,
  ImportSources,
  MovedSecrets
} from "@boocode/mcp-config/Exchange"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as FileChange from "../edit/FileChange.ts"
import type * as ServerFiles from "../edit/ServerFiles.ts"
import { currentFolder } from "../options/DataLocation.ts"
import { failed } from "../terminal/Failure.ts"

/** The offer that a person says yes to. */
export interface Offer {
  /** The servers that come in, or are there already, and are switched off in the application. */
  readonly taken: ReadonlyArray<ConfigImport.Incoming>
  /** The servers that stay where they are, with the reason. */
  readonly staying: ReadonlyArray<{ readonly name: string; readonly why: string }>
  /** The file that the servers come into. */
  readonly target: ServerFiles.ServerFile
  readonly planned: ReadonlyArray<ImportPlan.Planned>
  /** The secrets of the servers that come in, by the variables that take their place. */
  readonly secrets: Readonly<Record<string, string>>
}

/** Plans to take over the servers of these names. Changes nothing. */
export const offer = Effect.fnUntraced(function*(
  files: ServerFiles.Files,
  target: ServerFiles.ServerFile,
  { file, shape }: { readonly file: string; readonly shape: Clients.Client["shape"] },
  names: ReadonlyArray<string>
) {
  const from = yield* currentFolder
  const source = yield* Applications.read({ file, shape, isOwn: true, from })
  const wanted = source === null || Result.isFailure(source.found) || names.length === 0
    ? []
    : [{ ...source, found: source.found.success }]
  const isFree = yield* variables(files)
  const moved = wanted.map(({ found, ...rest }) => {
    const { secrets, ...all } = withoutSecrets(ImportSources.only(found, new Set(names)), isFree)
    return { ...rest, application: null, scope: "user" as const, found: Result.succeed(all), secrets }
  })
  const planned = yield* ImportPlan.make(moved, target.file, { group: file, isReplacing: false })
  const servers = planned.flatMap(({ plan }) => plan?.servers ?? [])
  const taken = servers.filter(({ outcome }) => outcome === "added" || outcome === "unchanged")
  const written = new Set(taken.filter(({ isWritten }) => isWritten).map(({ name }) => name))
  return {
    ...{ taken, target, planned },
    staying: servers.filter((one) => !taken.includes(one)).map((one) => ({ name: one.name, why: reason(one) })),
    secrets: Object.assign(
      {},
      ...moved.flatMap(({ secrets }) => secrets.filter(({ name }) => written.has(name)).map(({ values }) => values))
    )
  } satisfies Offer
})

const reason = ({ differences, notes, outcome }: ConfigImport.Incoming): string =>
  outcome === "changed"
    ? `BooCode has another server of that name: it differs in ${differences.join(", ")}`
    : notes.find(({ matters }) => matters)?.detail ?? "BooCode cannot use it"

/** Whether a variable can hold a value: nothing else may be in `.env` or in the environment, which wins over it. */
const variables = Effect.fnUntraced(function*({ envFile }: ServerFiles.Files) {
  const environment = yield* Environment
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.orElseSucceed(fs.readFileString(envFile), () => "")
  const kept = EnvFile.parse(text)
  const known = new Map<string, string>()
  return (variable: string, value: string): boolean => {
    const now = environment.variables[variable] ?? kept[variable] ?? known.get(variable)
    const isFree = now === undefined || now === "" || now === value
    if (isFree) known.set(variable, value)
    return isFree
  }
})

const withoutSecrets = (found: ConfigShape.Found, isFree: MovedSecrets.IsFree) => {
  const all = found.servers.map((member) => ({ member, moved: MovedSecrets.inMember(member, isFree) }))
  return {
    ...found,
    servers: all.map(({ moved }) => moved.member),
    secrets: all.map(({ member, moved }) => ({ name: member.key, values: moved.values }))
  }
}

/** Writes the secrets into `.env`, which is for its owner alone, and the servers into BooCode's file. */
export const apply = Effect.fnUntraced(function*(files: ServerFiles.Files, { planned, secrets, target }: Offer) {
  if (Object.keys(secrets).length > 0) {
    yield* Effect.mapError(EntryVariables.write(files.envFile, secrets), failed)
  }
  if (ImportPlan.written(planned).length > 0) yield* FileChange.apply(target, ImportPlan.change(planned))
})
