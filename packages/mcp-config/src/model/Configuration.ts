/** Everything configured, as a value: which servers there are, from which files, and what is wrong with them. */
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import type { InvalidEntry, InvalidFile, VariableUnset } from "./McpConfigError.ts"
import type { ServerConfig } from "./ServerConfig.ts"

/** The values of an entry as they are written, `${VAR}` and all. Literal ones may be secrets. */
export interface WrittenValues {
  readonly args: ReadonlyArray<Redacted.Redacted<string>>
  readonly env: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
}

/**
 * An entry as its file has it, variables not filled in: everything that decides which program runs or which address is
 * talked to, with what, and which checks it stands under. What does not belong to its transport is null or empty.
 */
export interface DeclaredEntry {
  /** The declaring file, absolute. */
  readonly file: string
  /** The folder that relative paths of the entry start from; absolute. */
  readonly folder: string
  readonly scope: ConfigSource["scope"]
  readonly type: "stdio" | "streamableHttp" | "sse"
  readonly command: Redacted.Redacted<string> | null
  readonly args: ReadonlyArray<Redacted.Redacted<string>>
  readonly cwd: Redacted.Redacted<string> | null
  readonly env: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly envFile: Redacted.Redacted<string> | null
  /** What the file of `envFile` holds; null without one, or when it cannot be used. */
  readonly envFileValues: Readonly<Record<string, Redacted.Redacted<string>>> | null
  readonly inheritEnv: ReadonlyArray<string>
  readonly url: Redacted.Redacted<string> | null
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly headersHelper: Redacted.Redacted<string> | null
  /** What `oauth` says, by key; absent and empty for nothing. */
  readonly oauth?: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly tools: ReadonlyArray<string> | null
  readonly ask: ReadonlyArray<string>
  /** Null where the entry leaves it to its scope. */
  readonly pin: "block" | "warn" | "off" | null
  /** The folders that its server is told it may work in; absent and empty where it does not say. */
  readonly roots?: ReadonlyArray<string>
}

/** One entry of a configuration: usable, or broken alone. */
export interface ConfiguredServer {
  readonly name: string
  /** The transport the entry asks for, also when it is broken; null when that cannot be told. */
  readonly transport: "stdio" | "streamableHttp" | "sse" | null
  /** The declaring file as a person would name it, or `code` for entries given by a program. */
  readonly source: string
  readonly enabled: boolean
  /** True for an entry of a project file: it does not start until approved (Decision 14). */
  readonly needsApproval: boolean
  /** True once a person said that it is not to start, which no file can: then it asks nobody either. Default false. */
  readonly isRejected?: boolean | undefined
  /** What the file says before variables are filled in; absent when the entry cannot be read. */
  readonly written?: WrittenValues | undefined
  /** What an approval is bound to; absent for an entry that cannot be read and for one that a program gives. */
  readonly declared?: DeclaredEntry | undefined
  /** A failure of a disabled entry is also among its warnings; look at `enabled` first. */
  readonly config: Result.Result<ServerConfig, InvalidEntry | VariableUnset>
  /** Unknown keys with the nearest known one, contradictions, and the like. */
  readonly warnings: ReadonlyArray<string>
}

/** One file that was looked at. */
export interface ConfigSource {
  readonly file: string
  readonly scope: "command-line" | "data" | "project" | "user"
  /** `kept`: it cannot be used since it changed, so its servers are those of its last version that could. */
  readonly state: "read" | "absent" | "invalid" | "kept"
  /** Names of the servers of this file that a file of a higher scope hides. */
  readonly hidden: ReadonlyArray<string>
  readonly error: InvalidFile | null
}

/** Everything configured, as one value. Servers are sorted by name, names are unique. */
export interface Configuration {
  readonly servers: ReadonlyArray<ConfiguredServer>
  readonly sources: ReadonlyArray<ConfigSource>
  /** Warnings that belong to no single server. */
  readonly warnings: ReadonlyArray<string>
}
