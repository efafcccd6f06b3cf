/** Where things are: the data folder, what lies in it, and the folder for state. */
import { Environment } from "@boocode/mcp-config"
import type { ServerRequests } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Installation from "./Installation.ts"

/** Both as the person gave them; a relative path starts where the person stands. */
export interface DataFolderOptions {
  readonly dataDir: string | null
  /** `--config FILE`: the only file with servers then. */
  readonly configFile: string | null
}

/** No variable says where data and state belong. `boocode` prints the message and the hint. */
export class NoHome extends Schema.TaggedError<NoHome>()("NoHome", { cause: Schema.Defect() }) {
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
  static readonly layer = (options: DataFolderOptions) => Layer.effect(DataFolder, make(options))
}

const make = Effect.fnUntraced(function*(options: DataFolderOptions) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  // pnpm runs scripts in the folder of the package and keeps the person's own in INIT_CWD.
  const from = (file: string) => path.resolve(variables["INIT_CWD"] ?? "", file)
  const variable = variables["MCP_CONFIG_PATH"] || null
  if (options.dataDir !== null && variable !== null) {
    yield* Effect.logWarning(`MCP_CONFIG_PATH is set, but --data decides: servers are read from ${options.dataDir}`)
  }
  const configFile = options.configFile === null ? null : from(options.configFile)
  const isStandard = options.dataDir === null && variable === null
  const dataFile = isStandard
    ? path.join(yield* standardFolder, "mcp.json")
    : options.dataDir !== null
    ? path.join(from(options.dataDir), "mcp.json")
    : from(variable ?? "")
  const folder = path.dirname(dataFile)
  return DataFolder.of({
    folder,
    dataFile,
    isNamed: !isStandard || configFile !== null,
    configFile,
    agentsFile: path.join(folder, "AGENTS.md"),
    settingsFile: path.join(folder, "settings.json"),
    envFile: path.join(folder, ".env"),
    workspace: path.join(folder, "workspace"),
    state: variables["BOOCODE_STATE_DIR"] ? from(variables["BOOCODE_STATE_DIR"]) : yield* platformFolder("state")
  })
})

/** The folder that the platform has for data or state. */
const platformFolder = (kind: "data" | "state") =>
  UserDirectories.UserDirectories.use((directories) => directories[kind]("boocode")).pipe(
    Effect.mapError((cause) => new NoHome({ cause }))
  )

/** The folder of a container, else that of the checkout, else the one that the platform has for data. */
const standardFolder = Effect.gen(function*() {
  const path = yield* Path.Path
  const hasServers = yield* isThere(path.join(CONTAINER, "mcp.json"))
  if (path.sep === "/" && (hasServers || (yield* isThere(CONTAINER, true)))) return CONTAINER
  const own = Installation.checkout === null ? null : path.join(Installation.checkout, "data")
  if (own !== null && (yield* isThere(path.join(own, "mcp.json")))) return own
  return yield* platformFolder("data")
})

const CONTAINER = "/data"

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
