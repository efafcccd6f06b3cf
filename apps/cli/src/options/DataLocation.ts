/** The place of the command's files: the given folder or file, else the one found on this machine. */
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { Options } from "./Options.ts"

export interface DataLocation {
  /** The data folder; null leaves it to `MCP_CONFIG_PATH` and the default. */
  readonly dataDir: string | null
  /** The file of `--config`, whose servers are the only ones. */
  readonly configFile: string | null
  /** Whether a flag or variable named the file with the servers: a missing file is worth a line then. */
  readonly isNamed: boolean
}

const DEFAULT_FOLDER = "/data"

/** Paths stay as given: the reader of a file resolves them against the folder of the person. */
export const resolve = Effect.fnUntraced(function*(options: Options, checkout: string) {
  const { variables } = yield* Environment
  const isVariableSet = (variables["MCP_CONFIG_PATH"] ?? "") !== ""
  const dataDir = options.data === null && !isVariableSet ? yield* folderThere(checkout) : options.data
  return {
    dataDir,
    configFile: options.config,
    isNamed: options.data !== null || options.config !== null || isVariableSet
  }
})

/** `/data` where it has an mcp.json, else the data folder of the checkout that the command runs from. */
const folderThere = Effect.fnUntraced(function*(checkout: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  // A folder that cannot be read counts as missing.
  const there = (...parts: ReadonlyArray<string>) =>
    Effect.orElseSucceed(files.exists(path.join(...parts)), () => false)
  if (yield* there(DEFAULT_FOLDER, "mcp.json")) return DEFAULT_FOLDER
  const isCheckout = (yield* there(checkout, "pnpm-workspace.yaml")) && (yield* there(checkout, "data", "mcp.json"))
  return isCheckout ? path.join(checkout, "data") : null
})

/** The folder that the person is in: package managers start this process elsewhere, and tell it in `INIT_CWD`. */
export const currentFolder = Effect.gen(function*() {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  return path.resolve(variables["INIT_CWD"] ?? "")
})
