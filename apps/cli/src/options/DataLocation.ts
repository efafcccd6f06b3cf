/** The place of the command's files as the person gives it; `DataFolder` of the chat server finds the place. */
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { Failed } from "../terminal/Failure.ts"
import type { Options } from "./Options.ts"

export interface DataLocation {
  /** The data folder; null leaves it to `MCP_CONFIG_PATH` and the standard places. */
  readonly dataDir: string | null
  /** The file of `--config`, whose servers are the only ones. */
  readonly configFile: string | null
  /** Whether a flag or variable named the file with the servers: a missing file is worth a line then. */
  readonly isNamed: boolean
}

/** Paths stay as given: the reader of a file resolves them against the folder of the person. */
export const resolve = ({ config, data }: Options): Effect.Effect<DataLocation, never, Environment> =>
  Effect.map(Environment, ({ variables }) => ({
    dataDir: data,
    configFile: config,
    isNamed: data !== null || config !== null || (variables["MCP_CONFIG_PATH"] ?? "") !== ""
  }))

/** The folder that the person is in: package managers start this process elsewhere, and tell it in `INIT_CWD`. */
export const currentFolder = Effect.gen(function*() {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  return path.resolve(variables["INIT_CWD"] ?? "")
})

/** Fails where `--data` names a folder that is not there. Verbs that write make the folder. */
export const checkFolder = Effect.fnUntraced(function*({ dataDir }: DataLocation) {
  if (dataDir === null) return
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.resolve(yield* currentFolder, dataDir)
  if (yield* Effect.orElseSucceed(fs.exists(folder), () => true)) return
  return yield* new Failed({
    tag: "NoFolder",
    message: `there is no folder ${folder}`,
    hint: `check the path after --data; boocode init ${dataDir} makes a data folder`,
    where: { file: folder }
  })
})
