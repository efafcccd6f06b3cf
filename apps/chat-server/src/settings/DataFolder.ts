/** Where things are: the data folder, what lies in it, and the folder for state. */
import { Environment } from "@boocode/mcp-config"
import type { ServerRequests } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { platform as system } from "node:process"
import * as DataPlaces from "./DataPlaces.ts"

/** Both as the person gave them; a relative path starts where the person stands. */
export interface DataFolderOptions {
  readonly dataDir: string | null
  /** `--config FILE`: the only file with servers then. */
  readonly configFile: string | null
}

/** No variable says where data and state belong. `boocode` prints the message and the hint. */
export class NoHome extends Schema.TaggedError<NoHome>()("NoHome", {}) {
  override readonly [Runtime.errorExitCode] = 1
  override readonly message: string =
    "there is no place for the data folder and the state folder: no home folder is set"
  readonly hint: string = "set HOME (USERPROFILE on Windows), or give --data DIR and BOOCODE_STATE_DIR"
}

export class DataFolder extends Context.Service<DataFolder, {
  readonly folder: string
  /** The data file with the servers; it need not exist. */
  readonly dataFile: string
  /** True when a flag or a variable named it, so that its absence is worth a word. */
  readonly isNamed: boolean
  /** The file of `--config`; null without it. */
  readonly configFile: string | null
  readonly agentsFile: string
  readonly settingsFile: string
  readonly envFile: string
  /** The only folder whose files agents may read, and change where a person lets them write. */
  readonly workspace: string
  readonly state: string
}>()("chat-server/DataFolder") {
  static readonly layer = (options: DataFolderOptions, platform: string = system) =>
    Layer.effect(DataFolder, make(options, platform))
}

const make = Effect.fnUntraced(function*(options: DataFolderOptions, platform: string) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  if (options.dataDir !== null && (variables["MCP_CONFIG_PATH"] ?? "") !== "") {
    yield* Effect.logWarning(`MCP_CONFIG_PATH is set, but --data decides: servers are read from ${options.dataDir}`)
  }
  const configFile = options.configFile === null ? null : DataPlaces.fromPerson(variables, options.configFile)
  const named = DataPlaces.namedFile(options.dataDir, variables)
  const dataFile = named ?? path.join(yield* standardFolder(variables, platform), "mcp.json")
  const folder = path.dirname(dataFile)
  return DataFolder.of({
    folder,
    dataFile,
    isNamed: named !== null || configFile !== null,
    configFile,
    agentsFile: path.join(folder, "AGENTS.md"),
    settingsFile: path.join(folder, "settings.json"),
    envFile: path.join(folder, ".env"),
    workspace: path.join(folder, "workspace"),
    state: DataPlaces.stateFolder(variables, platform) ?? (yield* new NoHome())
  })
})

/** The folder of a container, else that of the checkout, else the one that the system has for data. */
const standardFolder = Effect.fnUntraced(function*(variables: DataPlaces.Variables, platform: string) {
  const path = yield* Path.Path
  for (const { folder, orWritable } of path.sep === "/" ? DataPlaces.STANDARD : DataPlaces.STANDARD.slice(1)) {
    if (yield* isThere(path.join(folder, "mcp.json"))) return folder
    if (orWritable && (yield* isThere(folder, true))) return folder
  }
  return DataPlaces.userFolder("data", variables, platform) ?? (yield* new NoHome())
})

/** A file that cannot be reached counts as missing. */
const isThere = Effect.fnUntraced(function*(file: string, writable = false) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.isSuccess(fs.access(file, { writable }))
})

/** The workspace as the roots of servers whose entries name none. It does not change while the program runs. */
export const roots = Effect.gen(function*() {
  const { workspace } = yield* DataFolder
  const path = yield* Path.Path
  const uri = yield* Effect.orDie(path.toFileUrl(path.resolve(workspace)))
  const roots: typeof ServerRequests.Service["roots"] = {
    current: Effect.succeed([{ uri: uri.href, name: "workspace" }]),
    changes: Stream.empty
  }
  return roots
})
