/** The environment that a stdio server gets: a safe list of the host's, what its entry declares, and its marker. */
import type { Stdio } from "@boocode/mcp-config"
import * as Redacted from "effect/Redacted"

/** The host's variables that every server inherits (Decision 15). */
export const SAFE_LIST: ReadonlyArray<string> = [
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "USER",
  "LANG",
  "TMPDIR",
  "TZ",
  // The path of a file: without it npx fails behind a proxy whose certificate an authority of one's own signed.
  "NODE_EXTRA_CA_CERTS"
]

/** More variables without which no program starts on Windows, where names have no case. */
export const WINDOWS_LIST: ReadonlyArray<string> = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR"
]

/** Whether every server gets this variable, on some system. */
export const isForAll = (name: string): boolean => name === "PWD" || isInheritedOnWindows(name)

/** A server's environment and the folders its command is looked for in. */
export interface ServerEnvironment {
  readonly variables: Record<string, string | Redacted.Redacted<string>>
  readonly searched: ReadonlyArray<string>
  /** The values of what the entry asked to inherit; like those of `env` they may be secrets. */
  readonly declared: ReadonlyArray<string>
}

/** Puts the environment of one spawn together. */
export const make = (options: {
  readonly stdio: Stdio
  readonly host: Readonly<Record<string, string | undefined>>
  readonly marker: string
  readonly searchAfterPath: ReadonlyArray<string>
  /** `:` or `;`. */
  readonly delimiter: string
}): ServerEnvironment => {
  const { delimiter, host, marker, searchAfterPath, stdio } = options
  const isInherited = delimiter === ";" ? isInheritedOnWindows : isSafe
  const inherited = Object.entries(host).filter(([name]) => isInherited(name) || stdio.inheritEnv.includes(name))
  const variables: Record<string, string | Redacted.Redacted<string>> = {}
  for (const [name, value] of inherited) if (value !== undefined) variables[nameOf(name, delimiter)] = value
  Object.assign(variables, stdio.env)
  const path = pathOf(variables)
  const searched = [...new Set([...path.split(delimiter), ...searchAfterPath])].filter((folder) => folder !== "")
  variables["PATH"] = searched.join(delimiter)
  variables[MARKER_VARIABLE] = marker
  const declared = stdio.inheritEnv.flatMap((name) => host[name] ?? [])
  return { variables, searched, declared }
}

/** On Windows it is usually called `Path`. */
const nameOf = (name: string, delimiter: string): string =>
  delimiter === ";" && name.toUpperCase() === "PATH" ? "PATH" : name

const isSafe = (name: string): boolean => SAFE_LIST.includes(name) || name.startsWith("LC_")

const isInheritedOnWindows = (name: string): boolean =>
  isSafe(name.toUpperCase()) || WINDOWS_LIST.includes(name.toUpperCase())

const pathOf = (variables: Record<string, string | Redacted.Redacted<string>>): string => {
  const path = variables["PATH"]
  return path === undefined ? "" : typeof path === "string" ? path : Redacted.value(path)
}

/** The name of the environment variable that marks what belongs to one spawn (Decision 6). */
export const MARKER_VARIABLE = "BOOCODE_MCP_SPAWN"
