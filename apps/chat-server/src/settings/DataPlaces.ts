/**
 * Where the data folder and the state folder are: what flags and variables say, then what the system says. Without Effect,
 * because completion asks it while a person waits for the Tab key.
 */
import { posix, resolve, win32 } from "node:path"
import { checkout } from "./Installation.ts"

export type Variables = Readonly<Record<string, string | undefined>>

/** A path from where the person stands: pnpm runs scripts in the folder of the package, and keeps their own in INIT_CWD. */
export const fromPerson = (variables: Variables, path: string): string => resolve(variables["INIT_CWD"] ?? "", path)

/** The file with the servers that `--data` or a variable names; null where neither does. */
export const namedFile = (dataDir: string | null, variables: Variables): string | null => {
  if (dataDir !== null) return resolve(fromPerson(variables, dataDir), "mcp.json")
  const variable = variables["MCP_CONFIG_PATH"] ?? ""
  return variable === "" ? null : fromPerson(variables, variable)
}

/** The folders that come before the one of the system, and what they need: servers, or to be one that can be written to. */
export const STANDARD: ReadonlyArray<{ readonly folder: string; readonly orWritable: boolean }> = [
  { folder: "/data", orWritable: true },
  ...checkout === null ? [] : [{ folder: resolve(checkout, "data"), orWritable: false }]
]

/** `BOOCODE_STATE_DIR`, else the state folder of the system; null where no home is known. */
export const stateFolder = (variables: Variables, platform: string): string | null => {
  const named = variables["BOOCODE_STATE_DIR"] ?? ""
  return named === "" ? userFolder("state", variables, platform) : fromPerson(variables, named)
}

/** The folder that the system has for data or state; null where no home is known. */
export const userFolder = (kind: "data" | "state", variables: Variables, platform: string): string | null => {
  const isWindows = platform === "win32"
  const { isAbsolute, join } = isWindows ? win32 : posix
  const absolute = (name: string) => isAbsolute(variables[name] ?? "") ? variables[name] ?? null : null
  const xdg = absolute(kind === "data" ? "XDG_DATA_HOME" : "XDG_STATE_HOME")
  if (xdg !== null) return join(xdg, "boocode")
  const given = isWindows ? absolute(kind === "data" ? "APPDATA" : "LOCALAPPDATA") : null
  if (given !== null) return join(given, "boocode")
  const home = variables[isWindows ? "USERPROFILE" : "HOME"] ?? ""
  if (home === "") return null
  if (isWindows) return join(home, "AppData", kind === "data" ? "Roaming" : "Local", "boocode")
  if (platform === "darwin") return join(home, "Library", "Application Support", "boocode")
  return join(home, ".local", kind === "data" ? "share" : "state", "boocode")
}
