/** The canonical model: one MCP server as every other package sees it, whichever application's file it came from. */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/** How a server is reached by starting a program and talking over its pipes. */
export interface Stdio {
  readonly _tag: "stdio"
  readonly command: string
  readonly args: ReadonlyArray<Redacted.Redacted<string>>
  /** The variables of the entry; they are added to the safe list of inherited ones. */
  readonly env: Readonly<Record<string, Redacted.Redacted<string>>>
  /** Absolute. Default: the folder of the declaring file. */
  readonly cwd: string
  /** Names of host variables to pass on besides the safe list. */
  readonly inheritEnv: ReadonlyArray<string>
}

/** How a server is reached over HTTP. `sse` is the transport of revision 2024-11-05. */
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
  /** How to sign in where the server asks for it; false is never, absent leaves all of it to the server. */
  readonly oauth?: OAuth | false
}

/**
 * How to sign in to a remote server. A null value is discovered from the server, its authorization server or the host.
 */
export interface OAuth {
  /** The client id, for an authorization server where this client is registered. */
  readonly clientId: string | null
  readonly clientSecret: Redacted.Redacted<string> | null
  /** An https address that says who we are, and is our client id where the authorization server reads such documents. */
  readonly clientMetadataUrl: string | null
  /** Requested in place of the scopes that the server names; scopes that it asks for later are added. */
  readonly scopes: ReadonlyArray<string> | null
  /** The port of this machine on which a person comes back; any free one otherwise. */
  readonly callbackPort: number | null
  /** Where a person comes back to, for an authorization server that takes no other address. */
  readonly redirectUri: string | null
  /** The resource indicator (RFC 8707), for a server that names another one than its address. */
  readonly resource: string | null
  /** The only authorization server that may be asked. */
  readonly issuer: string | null
  /** `client_credentials` signs in as this program, without a person. */
  readonly grant: "authorization_code" | "client_credentials"
  /** PKCS #8 as PEM, or a shared secret: signs who we are (private_key_jwt) in place of a client secret. */
  readonly privateKey: Redacted.Redacted<string> | null
  /** How `privateKey` signs. Default RS256. */
  readonly algorithm: string
  /** `user` signs in each person for themselves, so that the entry is personal. Default `shared`. */
  readonly login?: "shared" | "user"
}

/** A command for the shell whose output gives further headers, which go before those of the entry. */
export interface HeadersHelper {
  readonly command: Redacted.Redacted<string>
  /** The folder of the declaring file; absolute. */
  readonly cwd: string
}

/** How much a log message weighs, the least first (RFC 5424). */
export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

/** How much a log message weighs. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The effects of a tool on the world, the least first. `undeclared` is a tool that does not say. */
export const TOOL_CLASSES = ["reads", "undeclared", "writes", "destroys"] as const

/** The effect of a tool on the world. */
export type ToolClass = (typeof TOOL_CLASSES)[number]

/** How a host sees what a writing tool would replace: by another tool of its server, at the same path. */
export type WriteTarget = {
  /** The argument of the writing tool that says where. */
  readonly path: string
  /** The tool that reads what is there. Its argument has the name of `path`. */
  readonly read: string
  /** The tool that puts back what was there; absent where nothing can. */
  readonly write?: string
  /** The argument of the writing tool, and of `write`, that has the new content. */
  readonly content?: string
  /** `path` names a file of this machine: one that a call makes can be undone by a move into the bin. */
  readonly file?: boolean
}

/** One MCP server, decoded, expanded and defaulted. Every value that may hold a secret is `Redacted`. */
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
  /** The part that models read of a result with content and structured content. Default `content`. */
  readonly results: "content" | "structured"
  readonly restart: "never" | "on-failure"
  readonly retry: "never" | "idempotent"
  readonly ping: Duration.Duration | null
  /** Globs over raw tool names; what they drop is listed as rejected. null allows all. */
  readonly tools: ReadonlyArray<string> | null
  readonly alwaysLoad: boolean | ReadonlyArray<string>
  readonly ask: ReadonlyArray<string>
  /**
   * `ask` offers its writing tools, each call with a person's yes; `off` keeps them from every chat. Null where the entry
   * does not say: they are left out, and a chat may offer them.
   */
  readonly writes: "off" | "ask" | null
  /** Whether its tools are what their annotations say. Otherwise all of them write. Default true. */
  readonly trustAnnotations: boolean
  /** The classes of tools by raw name; they go before what annotations say. */
  readonly classes: Readonly<Record<string, ToolClass>>
  /** How to see what writing tools would replace, by raw name. */
  readonly targets: Readonly<Record<string, WriteTarget>>
  readonly protocol: "auto" | "legacy" | "2026-07-28"
  readonly lazy: boolean
  readonly idleTtl: Duration.Duration | null
  /** How many people's servers of a personal entry run at once. Default 20. */
  readonly maxInstances: number
  /** Whether all clients of a gateway use one server, or each has one of its own. Default `shared`. */
  readonly session: "shared" | "client"
  readonly pin: "block" | "warn" | "off"
  /** From which level on its log messages are wanted. Default `info`. */
  readonly logLevel: LogLevel
  /**
   * The folders that the server is told it may work in, absolute, none of them for an empty list; true for those of the
   * host. Null or absent where the entry does not say.
   */
  readonly roots?: true | ReadonlyArray<string> | null
  /** Whether models read what the server says of how to use it. Default true. */
  readonly instructions: boolean
}
