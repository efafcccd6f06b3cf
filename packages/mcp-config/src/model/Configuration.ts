/** Everything configured, as a value: which servers there are, from which files, and what is wrong with them. */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import type { InvalidEntry, InvalidFile, VariableUnset } from "./McpConfigError.ts"
import type { ServerConfig, ToolClass, WriteTarget } from "./ServerConfig.ts"

/** The values of an entry as they are written, `${VAR}` and all. Literal ones may be secrets. */
export interface WrittenValues {
  readonly args: ReadonlyArray<Redacted.Redacted<string>>
  readonly env: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
}

/**
 * An entry as its file has it, variables not filled in: everything that decides which program runs or which address is
 * talked to, with what, and which checks it stands under. Keys of the other transport are null or empty.
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
  /** The variables in the file of `envFile`; null without one, or when it cannot be used. */
  readonly envFileValues: Readonly<Record<string, Redacted.Redacted<string>>> | null
  readonly inheritEnv: ReadonlyArray<string>
  readonly url: Redacted.Redacted<string> | null
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly headersHelper: Redacted.Redacted<string> | null
  /** The texts of `oauth` by key; absent or empty without any. */
  readonly oauth?: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly tools: ReadonlyArray<string> | null
  readonly ask: ReadonlyArray<string>
  /** Absent, null or empty where the entry does not say; `trustAnnotations` is true then. */
  readonly writes?: "off" | "ask" | null
  readonly trustAnnotations?: boolean
  readonly classes?: Readonly<Record<string, ToolClass>>
  readonly targets?: Readonly<Record<string, WriteTarget>>
  /** The people who see the server; absent or null for everyone. */
  readonly for?: ReadonlyArray<string> | null
  /** Null where the entry leaves it to its scope. */
  readonly pin: "block" | "warn" | "off" | null
  /** Absent where all clients of a gateway use one server. */
  readonly session?: "shared" | "client"
  /** The folders that its server is told it may work in; absent and empty where it does not say. */
  readonly roots?: ReadonlyArray<string>
}

/** The part of an entry that makes it one of each person. */
export interface PersonalEntry {
  /** The names in `${user:NAME}`, sorted. */
  readonly names: ReadonlyArray<string>
  /** The names without a default, which a person has to set before their server starts. */
  readonly needed: ReadonlyArray<string>
  /** Whether `${workspace}` alone makes it personal: a host without several people has one server for all. */
  readonly amongSeveral: boolean
  /** The server of a person sleeps after so long without a call. */
  readonly idle: Duration.Duration
  /** The configuration for a person with these values, who has this folder; null for none. */
  readonly resolve: (
    values: Readonly<Record<string, Redacted.Redacted<string>>>,
    workspace: string | null
  ) => ConfiguredServer["config"]
}

/** One entry of a configuration: usable, or broken alone. */
export interface ConfiguredServer {
  readonly name: string
  /** The transport the entry asks for, also when it is broken; null when that cannot be told. */
  readonly transport: "stdio" | "streamableHttp" | "sse" | null
  /** The declaring file as a person would name it, or `code` for entries given by a program. */
  readonly source: string
  readonly enabled: boolean
  /** True for an entry of a project file: it does not start until approved. */
  readonly needsApproval: boolean
  /** True after a person rejected it: it does not start and is not asked about again. Files cannot set this. Default false. */
  readonly isRejected?: boolean | undefined
  /** The people who see the server, also where the entry is broken; nobody where the key is wrong. Absent for everyone. */
  readonly audience?: ReadonlyArray<string> | undefined
  /** The values before variables are expanded; absent when the entry cannot be read. */
  readonly written?: WrittenValues | undefined
  /** An approval is bound to this; absent for an entry that cannot be read or that a program gives. */
  readonly declared?: DeclaredEntry | undefined
  /**
   * Present for a personal entry: one that uses `${user:NAME}` or `${workspace}`, or signs in each person for themselves. Each
   * person has a server of their own, and `config` is that of nobody: a failure where a value of a person is missing.
   */
  readonly personal?: PersonalEntry | undefined
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
