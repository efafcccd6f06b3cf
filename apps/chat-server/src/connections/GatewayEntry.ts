/** The entry by which another application starts BooCode as its MCP server. */
import { Environment } from "@boocode/mcp-config"
import { OwnEntry } from "@boocode/mcp-config/Exchange"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import type * as Schema from "effect/Schema"
import { execPath } from "node:process"
import { DataFolder } from "../settings/DataFolder.ts"
import * as Installation from "../settings/Installation.ts"

/** The profile of an entry that names none. */
export const DEFAULT_PROFILE = "default"

/** The flags that name the data folder; none for a standard one, and where only a variable can name it. */
export const dataFlags = Effect.gen(function*() {
  const path = yield* Path.Path
  const { dataFile, folder, isNamed } = yield* DataFolder
  return isNamed && path.basename(dataFile) === "mcp.json" ? ["--data", path.resolve(folder)] : []
})

/**
 * The entry for a profile, in BooCode's own words: this Node and this installation by their absolute paths, since another
 * application searches no PATH of a shell. It names the data folder and the state folder where they are not the standard
 * ones, since an application passes few variables on.
 */
export const make = Effect.fnUntraced(function*(profile: string) {
  const path = yield* Path.Path
  const { dataFile, isNamed, state } = yield* DataFolder
  const { variables } = yield* Environment
  const isInFolder = path.basename(dataFile) === "mcp.json"
  const data = yield* dataFlags
  const chosen = profile === DEFAULT_PROFILE ? [] : [PROFILE, profile]
  const isMoved = (name: string) => (variables[name] ?? "") !== ""
  const env: Schema.JsonObject = {
    ...(isNamed && !isInFolder ? { MCP_CONFIG_PATH: path.resolve(dataFile) } : {}),
    ...(!isNamed && isMoved("XDG_DATA_HOME") ? { XDG_DATA_HOME: variables["XDG_DATA_HOME"] ?? "" } : {}),
    ...(isMoved("BOOCODE_STATE_DIR") || isMoved("XDG_STATE_HOME") ? { BOOCODE_STATE_DIR: path.resolve(state) } : {})
  }
  const texts = [execPath, Installation.entry, ...OwnEntry.VERBS, ...data, ...chosen]
  const [command = "", ...args] = texts.map(escaped)
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) } satisfies Schema.JsonObject
})

const PROFILE = "--profile"

/** The profile that the arguments of such an entry choose. */
export const profileOf = (args: ReadonlyArray<string>): string =>
  args[args.indexOf(PROFILE) + 1 || args.length] ?? DEFAULT_PROFILE

/** As an entry writes plain text. */
const escaped = (text: string): string => text.replaceAll("${", () => "$${")
