/**
 * Everything configured, as a value: which servers there are, from which files, and what is wrong with them.
 */
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import type { InvalidEntry, InvalidFile, VariableUnset } from "./McpConfigError.ts"
import type { ServerConfig } from "./ServerConfig.ts"

/**
 * The values of an entry as they are written, `${VAR}` and all. Literal ones may be secrets.
 *
 * @category models
 */
export interface WrittenValues {
  readonly args: ReadonlyArray<Redacted.Redacted<string>>
  readonly env: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
}

/**
 * One entry of a configuration: usable, or broken alone.
 *
 * @category models
 */
export interface ConfiguredServer {
  readonly name: string
  /** The transport the entry asks for, also when it is broken; null when that cannot be told. */
  readonly transport: "stdio" | "streamableHttp" | "sse" | null
  /** The declaring file as a person would name it, or `code` for entries given by a program. */
  readonly source: string
  readonly enabled: boolean
  /** True for an entry of a project file: it does not start until approved (Decision 14). */
  readonly needsApproval: boolean
  /** What the file says before variables are filled in; absent when the entry cannot be read. */
  readonly written?: WrittenValues | undefined
  /** A failure of a disabled entry is also among its warnings; look at `enabled` first. */
  readonly config: Result.Result<ServerConfig, InvalidEntry | VariableUnset>
  /** Unknown keys with the nearest known one, contradictions, and the like. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * One file that was looked at.
 *
 * @category models
 */
export interface ConfigSource {
  readonly file: string
  readonly scope: "command-line" | "data" | "project" | "user"
  readonly state: "read" | "absent" | "invalid"
  /** Names of the servers of this file that a file of a higher scope hides. */
  readonly hidden: ReadonlyArray<string>
  readonly error: InvalidFile | null
}

/**
 * Everything configured, as one value. Servers are sorted by name, names are unique.
 *
 * @category models
 */
export interface Configuration {
  readonly servers: ReadonlyArray<ConfiguredServer>
  readonly sources: ReadonlyArray<ConfigSource>
  /** Warnings that belong to no single server. */
  readonly warnings: ReadonlyArray<string>
}
