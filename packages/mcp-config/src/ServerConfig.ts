/**
 * The canonical model: one MCP server as every other package sees it, whichever application's file it came from.
 */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/**
 * How a server is reached by starting a program and talking over its pipes.
 *
 * @category models
 */
export interface Stdio {
  readonly _tag: "stdio"
  readonly command: string
  readonly args: ReadonlyArray<Redacted.Redacted<string>>
  /** What the entry declares; it is added to the safe list of inherited variables. */
  readonly env: Readonly<Record<string, Redacted.Redacted<string>>>
  /** Absolute. Default: the folder of the declaring file. */
  readonly cwd: string
  /** Names of host variables to pass on besides the safe list. */
  readonly inheritEnv: ReadonlyArray<string>
}

/**
 * How a server is reached over HTTP. `sse` is the transport of revision 2024-11-05.
 *
 * @category models
 */
export interface Http {
  readonly _tag: "streamableHttp" | "sse"
  readonly url: Redacted.Redacted<string>
  /** True for an entry that names no type: a server of revision 2024-11-05 may be behind its url. */
  readonly mayBeSse?: boolean
  /** True for an entry that may not reach private addresses (R77). */
  readonly publicOnly?: boolean
  /** A header whose value expanded to nothing is not here. */
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  /** Absent for none. */
  readonly headersHelper?: HeadersHelper
}

/**
 * A command for the shell whose output gives further headers, which go before those of the entry.
 *
 * @category models
 */
export interface HeadersHelper {
  readonly command: Redacted.Redacted<string>
  /** The folder of the declaring file; absolute. */
  readonly cwd: string
}

/**
 * One MCP server, decoded, expanded and defaulted. Every value that may hold a secret is `Redacted`.
 *
 * @category models
 */
export interface ServerConfig {
  readonly name: string
  readonly transport: Stdio | Http
  /** The variables that were filled in, by name, those of `command` and `cwd` left out; their values may be secrets. */
  readonly filledIn?: Readonly<Record<string, Redacted.Redacted<string>>>
  /** From start to the first tool list. Default 30 s. */
  readonly startupTimeout: Duration.Duration
  /** Idle limit of a call; progress resets it. Default 60 s. */
  readonly timeout: Duration.Duration
  /** Limit of a call whatever its progress. Default 10 min. */
  readonly maxTotalTimeout: Duration.Duration
  /** Calls in flight at once; null is no limit. */
  readonly maxConcurrency: number | null
  /** Bytes of one message. Default 16 MiB. */
  readonly maxMessageBytes: number
  /** Bytes of UTF-8 of one result kept in memory and JSON. Default 5,000,000. */
  readonly maxResultBytes: number
  readonly restart: "never" | "on-failure"
  readonly retry: "never" | "idempotent"
  readonly ping: Duration.Duration | null
  /** Globs over raw tool names; what they drop is listed as rejected. null allows all. */
  readonly tools: ReadonlyArray<string> | null
  readonly alwaysLoad: boolean | ReadonlyArray<string>
  readonly ask: ReadonlyArray<string>
  readonly protocol: "auto" | "legacy" | "2026-07-28"
  readonly lazy: boolean
  readonly idleTtl: Duration.Duration | null
  readonly pin: "block" | "warn" | "off"
}
