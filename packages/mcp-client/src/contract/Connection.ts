/** The one contract that everything above the transports talks to. Nothing above it knows pipes, HTTP or JSON-RPC. */
import type { LogLevel } from "@boocode/mcp-config"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { CallScope } from "../base/CallScope.ts"
import type { ConnectionLost, Exited, McpErrorReason } from "../errors/McpError.ts"
import type { Asker } from "../host/ServerRequests.ts"
import type { CallProgress } from "./CallResult.ts"

/** The tools of a server, as it wrote them. */
export interface Listing {
  /** In the order of the server; nothing is known of their shape but that they are objects. */
  readonly tools: ReadonlyArray<Schema.JsonObject>
  /** Faults of the listing itself, for instance a cursor that came twice. */
  readonly diagnostics: ReadonlyArray<string>
  /** For how long the server says that it holds (2026-07-28); null where it does not say. */
  readonly ttlMillis: number | null
}

/** A list beside that of the tools. */
export type ListKind = "prompts" | "resources" | "templates"

/** The items of such a list, as the server wrote them. */
export interface ItemList {
  /** In the order of the server; nothing is known of their shape but that they are objects. */
  readonly items: ReadonlyArray<Schema.JsonObject>
  /** Faults of the listing itself. */
  readonly diagnostics: ReadonlyArray<string>
  /** For how long the server says that it holds (2026-07-28); null where it does not say. */
  readonly ttlMillis: number | null
}

/** Something of a server that is not a tool call: a prompt filled in, a resource read, a value completed. */
export interface Inquiry extends Inquirer {
  readonly method: "prompts/get" | "resources/read" | "completion/complete"
  readonly params: Schema.JsonObject
}

/** The caller of a request. The server may ask it something back. */
export interface Inquirer {
  /** Answers what the server asks about it; null is the host's own asker. */
  readonly asker?: Asker | null
  /** Is told whenever a question begins and ends that may belong to it: how many are open now. */
  readonly onAsked?: (open: number) => void
  /** The end of what the request belongs to, where that is run at once: there the request is over at the latest. */
  readonly parting?: CallScope | undefined
}

/** The capabilities of a server; `subscribe` is about updates of resources. */
export type Capability = "tools" | "prompts" | "resources" | "subscribe" | "completions" | "logging"

/** A line that a server wants logged, as it wrote it. */
export interface LogMessage {
  readonly level: Schema.Json
  readonly logger: Schema.Json
  readonly data: Schema.Json
}

/** Resources of whose updates a server does not tell, by URI, and why. */
export type Refusals = ReadonlyMap<string, McpErrorReason>

/** One call. */
export interface Call extends Inquirer {
  readonly tool: string
  readonly args: Schema.JsonObject
  /** Is told each progress notification, in order. */
  readonly onProgress?: ((progress: CallProgress) => void) | undefined
  /**
   * Is given what ends the call with a reason, and cancels it at the server: for limits that cost no fiber. May be given
   * several times, when a call takes several requests; the last one given ends all of it, until the call is over.
   */
  readonly onStarted?: ((end: (reason: McpErrorReason) => void) => void) | undefined
}

export interface Traffic {
  /** When the server last said anything, in milliseconds of the clock; when the connection opened, if it said nothing. */
  readonly heardAt: number
  /** How many requests are waiting for their answer. */
  readonly waiting: number
}

/** An open, initialized connection to one server. It closes with the scope it was opened in. */
export interface Connection {
  readonly protocolVersion: string
  readonly serverInfo: { readonly name: string; readonly version: string } | null
  /** The server's instructions, as it wrote them. */
  readonly instructions: string | null
  /** The process; null over HTTP. */
  readonly pid: number | null
  /**
   * All pages of `tools/list`, at most 100 pages and 10,000 tools. Empty when the server declares no tools. Has no time limit of its own.
   */
  readonly listTools: Effect.Effect<Listing, McpErrorReason>
  /**
   * Sends `tools/call` once and gives the result as the server wrote it. Interruption sends one
   * `notifications/cancelled`, or closes the stream in revision 2026-07-28 over HTTP. Has no time limit of its own. When the
   * connection ends during the call, it fails with the reason of `closed`, and nobody knows whether the call took effect.
   * A call after that fails with `ConnectionLost` whose `unsent` is true.
   */
  readonly call: (call: Call) => Effect.Effect<Schema.JsonObject, McpErrorReason>
  /** Whether the server declares it; what it does not declare it is not asked for. */
  readonly declares: (capability: Capability) => boolean
  /**
   * All pages of a list, within the limits of `listTools`. Empty when the server declares no such thing, or cannot list
   * it. Has no time limit of its own.
   */
  readonly list: (kind: ListKind) => Effect.Effect<ItemList, McpErrorReason>
  /** Sends one request and gives its result as the server wrote it. Interruption and time are as with `call`. */
  readonly inquire: (inquiry: Inquiry) => Effect.Effect<Schema.JsonObject, McpErrorReason>
  /**
   * Asks whether the server is there: by `ping`, or by `server/discover` in revision 2026-07-28, which has no ping. Has
   * no time limit of its own.
   */
  readonly ping: Effect.Effect<void, McpErrorReason>
  /** When the server was last heard, and how many requests wait. */
  readonly traffic: () => Traffic
  /**
   * Adds a listener for changes of the list of tools, for as long as the connection is open. The first one is told at once
   * of a change from before. A listener must not throw, here and below: those after it would not be told.
   */
  readonly onToolsChanged: (listener: () => void) => void
  /** Adds a listener for changes of the prompts, or of the resources and their templates; changes from before are lost. */
  readonly onListChanged: (listener: (what: "prompts" | "resources") => void) => void
  /** Whether the server declares such notifications, and we hear them. */
  readonly tellsOf: (what: "prompts" | "resources") => boolean
  /**
   * Subscribes to updates of these resources, and of no others. Gives those whose updates the server refuses
   * to send. Has no time limit of its own. Must not run twice at the same time.
   */
  readonly watch: (uris: ReadonlyArray<string>) => Effect.Effect<Refusals, McpErrorReason>
  /** Adds a listener for updates of resources, by URI; updates from before are lost. */
  readonly onResourceUpdated: (listener: (uri: string) => void) => void
  /**
   * Asks for log lines of this weight and above; null for none, where the revision can say so. Has no time limit of its own.
   */
  readonly setLogLevel: (level: LogLevel | null) => Effect.Effect<void, McpErrorReason>
  /** Adds a listener for log messages; messages from before are lost. */
  readonly onLog: (listener: (message: LogMessage) => void) => void
  /** Whether arguments go into headers as well, where a tool asks for it: over HTTP since revision 2026-07-28. */
  readonly mirrorsArguments: () => boolean
  /** Waits until the connection is gone, and says why. */
  readonly closed: Effect.Effect<Exited | ConnectionLost>
  /** Oddities in how the server behaves, in words. */
  readonly diagnostics: () => ReadonlyArray<string>
  /** The last lines of standard error; empty over HTTP. */
  readonly stderr: () => string
  /** Hides configured secrets and the session in a text of the server's (Decision 15). */
  readonly scrub: (text: string) => string
}
