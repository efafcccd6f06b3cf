/**
 * The layers that the chat server and the commands about servers share: the data folder, the configuration and the
 * `McpRegistry` layer, which only this file makes. Those commands load it without chats, their storage and the HTTP side.
 */
import { Agents } from "@boocode/chat/Agents"
import { CallHooks } from "@boocode/chat/CallHooks"
import { FIRST } from "@boocode/chat/CurrentUser"
import { OwnWrites } from "@boocode/chat/OwnWrites"
import { PermissionFiles } from "@boocode/chat/PermissionFiles"
import { UndoStore } from "@boocode/chat/UndoStore"
import * as Workspace from "@boocode/chat/Workspace"
import { WorkspaceTools } from "@boocode/chat/WorkspaceTools"
import { WorkspaceWrites } from "@boocode/chat/WorkspaceWrites"
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeCredentials, NodeMcp } from "@boocode/mcp-node"
import {
  Approvals,
  Manifests,
  McpRegistries,
  McpRegistry,
  PersonalValues,
  ProtocolMemory,
  ToolPins
} from "@boocode/mcp-registry"
import { Permissions, ResultFiles } from "@boocode/toolkit"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { LogLevel } from "effect/LogLevel"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { delimiter } from "node:path"
import * as PublicFetch from "./access/PublicFetch.ts"
import * as RestoreJournal from "./backup/RestoreJournal.ts"
import { FILE } from "./database/DatabasePurpose.ts"
import * as ConfigNews from "./services/ConfigNews.ts"
import { DataFolder, type DataFolderOptions } from "./settings/DataFolder.ts"
import * as EnvironmentFile from "./settings/EnvironmentFile.ts"
import * as Installation from "./settings/Installation.ts"
import * as LoginShell from "./settings/LoginShell.ts"
import * as NewDataFolder from "./settings/NewDataFolder.ts"
import * as Settings from "./settings/Settings.ts"
import * as LogFormat from "./telemetry/LogFormat.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"
import * as SharedSecret from "./users/SharedSecret.ts"

export interface FoundationOptions extends DataFolderOptions {
  /** `--log-level LEVEL`; null leaves it to settings.json. */
  readonly logLevel: LogLevel | null
  /** `--log-format FORMAT`; null leaves it to settings.json. */
  readonly logFormat?: LogFormat.LogFormat | null
  /** The variables of the process. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Whether this server is a node of a fleet (docs/fleet.md). Default: false. */
  readonly fleet?: boolean
}

/** Nothing of a fleet is loaded where there is none. */
const fleetFolder = Layer.unwrap(
  Effect.map(Effect.promise(() => import("./fleet/kept/FleetFolder.ts")), ({ layer }) => layer)
)

/** Where things are, the settings, the variables with those of `.env`, what Node brings, and who gets telemetry. */
export const layer = ({ fleet, logFormat, logLevel, variables, ...options }: FoundationOptions) =>
  Telemetry.layer.pipe(
    Layer.provideMerge(Layer.provide(EnvironmentFile.layer, LoginShell.layer)),
    Layer.provideMerge(Layer.merge(Settings.logLevel(logLevel), LogFormat.layer(logFormat ?? null))),
    Layer.provideMerge(Settings.Settings.layer),
    Layer.provideMerge(NewDataFolder.layer),
    Layer.provideMerge(fleet === true ? fleetFolder : Layer.empty),
    Layer.provideMerge(
      Layer.tap(DataFolder.layer(options), (folder) => Effect.provideContext(RestoreJournal.finish, folder))
    ),
    Layer.provide(Environment.layer(withoutOwnFolders(variables))),
    Layer.provideMerge(NodeServices.layer)
  )

/** pnpm puts them in front of PATH; servers are to find the person's own commands first, and npm its own settings. */
const withoutOwnFolders = (variables: FoundationOptions["variables"]): FoundationOptions["variables"] => {
  // Windows writes `Path`.
  const [name, path] = Object.entries(variables).find(([name]) => name.toUpperCase() === "PATH") ?? []
  if (name === undefined || path === undefined) return variables
  const others = path.split(delimiter).filter((folder) => !Installation.commands.includes(folder))
  return { ...variables, [name]: others.join(delimiter) }
}

/** Which servers there are: those of the data file, and of the other files that the settings ask for. */
export const config = Layer.unwrap(Effect.gen(function*() {
  const { configFile, dataFile, isNamed } = yield* DataFolder
  const { variables } = yield* Environment
  const settings = yield* Settings.Settings
  const path = yield* Path.Path
  const file = configFile ?? dataFile
  const near = path.relative("", file)
  const scopes = configFile === null ? settings.scopes : []
  return McpConfig.layerScopes({
    // A file below the current folder is named by its short path.
    dataFile: near.startsWith("..") ? file : near,
    dataFileIsNamed: isNamed,
    projectFrom: scopes.includes("project") ? path.resolve(variables["INIT_CWD"] ?? "") : null,
    home: scopes.includes("user") ? variables["HOME"] ?? variables["USERPROFILE"] ?? null : null
  }, { isTold: false })
}))

/** The decisions about servers of project files, kept where no project can write. */
const approvals = Layer.unwrap(Effect.gen(function*() {
  const { state } = yield* DataFolder
  const { trustedPublishers } = yield* Settings.Settings
  return Approvals.layerFile((yield* Path.Path).join(state, "approvals.json"), { trustedPublishers })
}))

export const pins = Layer.unwrap(Effect.gen(function*() {
  const { configFile, state } = yield* DataFolder
  // A file that --config names may lie in a stranger's folder, and a lock file beside it may be that stranger's too.
  return ToolPins.layer(state, { lockFiles: configFile === null })
}))

export const trust = Layer.merge(approvals, pins)

export const credentials = Layer.unwrap(Effect.gen(function*() {
  const { state } = yield* DataFolder
  const settings = yield* Settings.Settings
  const secret = yield* SharedSecret.given
  return NodeCredentials.layer({
    file: (yield* Path.Path).join(state, "credentials.json"),
    use: settings.credentials,
    ...secret === null ? {} : { secret }
  })
}))

/** The folder in which the servers of a person work; null, and a line in the log, where it cannot be used. */
export const folders = Effect.gen(function*() {
  const { workspace } = yield* DataFolder
  const needs = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  return (person: string) =>
    Effect.flatMap(Workspace.make(workspace, person), ({ root }) => root).pipe(
      Effect.catch(({ message }) => Effect.as(Effect.logWarning(`no server works for ${person}: ${message}`), null)),
      Effect.provideContext(needs)
    )
})

/**
 * The values of people for commands without a server. The database is opened when an entry first needs a value: those
 * commands are quick without it.
 */
const personalValues = Layer.effect(
  PersonalValues,
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const needs = yield* Effect.context<DataFolder | Environment | FileSystem.FileSystem | Path.Path>()
    const opened = yield* Effect.cached(
      Effect.gen(function*() {
        const { Database } = yield* Effect.promise(() => import("./database/Database.ts"))
        const { UserSecrets } = yield* Effect.promise(() => import("./users/UserSecrets.ts"))
        const { Users } = yield* Effect.promise(() => import("./users/Users.ts"))
        const built = yield* Layer.buildWithScope(Database.layer("command"), scope)
        return { secrets: Context.get(built, UserSecrets), users: Context.get(built, Users) }
      }).pipe(Effect.provideContext(needs))
    )
    const { state } = yield* DataFolder
    const { variables } = yield* Environment
    const fs = yield* FileSystem.FileSystem
    const file = (yield* Path.Path).join(state, FILE)
    const areSeveral = Effect.gen(function*() {
      // Nobody was ever added where no database was made, and looking makes none.
      if ((variables["DATABASE_URL"] ?? "").trim() === "" && !(yield* fs.exists(file))) return false
      return yield* Effect.flatMap(opened, ({ users }) => users.areThere)
    })
    return {
      of: (person: string) =>
        Effect.flatMap(opened, ({ secrets }) => secrets.values(person)).pipe(
          Effect.catch(({ message }) => Effect.as(Effect.logWarning(message), {}))
        ),
      changes: Stream.empty,
      workspace: yield* folders,
      areSeveral: Effect.orElseSucceed(areSeveral, () => true)
    }
  })
)

/**
 * The registry without the services that decide which servers may start and what pins are kept: the caller provides them.
 * Commands are looked for in PATH, then among those that come along. `source` says where connections come from.
 */
const registryWithoutTrust = <E, R>(source: Layer.Layer<never, E, R>) =>
  Layer.unwrap(
    Effect.map(
      Settings.Settings,
      ({ maxConnecting, metrics }) =>
        McpRegistries.layer({ searchAfterPath: Installation.commands, maxConnecting, metrics })
    )
  ).pipe(
    Layer.merge(ConfigNews.brokenEntries),
    Layer.provide(source),
    Layer.provide(fromFolder(({ state }, path) => ProtocolMemory.layerFile(path.join(state, "protocols.json")))),
    Layer.provide(fromFolder(({ state }, path) => Manifests.layerFolder(path.join(state, "manifests")))),
    Layer.provide(credentials)
  )

/** The registry of a server, whose people have values of their own. */
export const registries = Layer.provide(registryWithoutTrust(Layer.empty), trust)

/** The registry of a node of a fleet. */
export const registriesOf = <E, R>(source: Layer.Layer<never, E, R>) =>
  Layer.provide(registryWithoutTrust(source), trust)

const forCommands = <A, E, R>(registries: Layer.Layer<A | McpRegistries, E, R>) =>
  McpRegistry.layerOf(FIRST.id).pipe(Layer.provideMerge(registries), Layer.provide(personalValues))

/** The registry of a command, which acts for the first admin. */
export const registry = forCommands(registries)

/** The registry of a trial: it reads no pins and writes none. */
export const trial = forCommands(Layer.provide(registryWithoutTrust(Layer.empty), approvals))

export const resultFiles = fromFolder(({ state }, path) => ResultFiles.layer(path.join(state, "results")))

export const agents = fromFolder(({ agentsFile }) => Agents.layerFile(agentsFile))

/** Makes the workspace of a data folder that has none. */
export const workspace = Layer.effectDiscard(
  Effect.flatMap(DataFolder, ({ workspace }) => WorkspaceWrites.makeFolder(workspace))
)

/** The content that writes replaced. */
export const undoStore = fromFolder(({ state }, path) => UndoStore.layer(path.join(state, "undo")))

/** The built-in tools, those that write included, and what undoes what they write. */
export const toolsOver = <E, R>(undo: Layer.Layer<UndoStore, E, R>) =>
  fromFolder(({ workspace }) =>
    WorkspaceTools.layerWriting(workspace).pipe(
      Layer.provideMerge(WorkspaceWrites.layer(workspace)),
      Layer.provideMerge(undo)
    )
  )

export const tools = toolsOver(undoStore)

const permissionFiles = Layer.unwrap(Effect.gen(function*() {
  const { configFile, dataFile } = yield* DataFolder
  const { variables } = yield* Environment
  const path = yield* Path.Path
  return Permissions.layer({
    file: path.join(path.dirname(configFile ?? dataFile), "permissions.jsonc"),
    // A project's file can only tighten, so it counts wherever the servers come from.
    projectFrom: path.resolve(variables["INIT_CWD"] ?? "")
  })
}))

/** Hooks run beside the file that names them. */
const hooks = Layer.unwrap(Effect.gen(function*() {
  return CallHooks.layer((yield* Path.Path).dirname((yield* Permissions).file))
}))

const ownWrites = fromFolder(({ state }, path) => OwnWrites.layerFile(path.join(state, "own-writes.jsonl")))

/** The rules of permissions, followed as their files change, what calls ask of them, and the trace of a person's own. */
export const permissions = Layer.mergeAll(PermissionFiles.layer, hooks, ownWrites).pipe(
  Layer.provideMerge(permissionFiles)
)

export const node = PublicFetch.layer.pipe(Layer.provideMerge(NodeMcp.layer))

function fromFolder<A, E, R>(
  build: (folder: typeof DataFolder.Service, path: Path.Path) => Layer.Layer<A, E, R>
) {
  return Layer.unwrap(Effect.gen(function*() {
    return build(yield* DataFolder, yield* Path.Path)
  }))
}
