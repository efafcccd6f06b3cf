/** The one contract that everything above the transports talks to. Nothing above it knows pipes, HTTP or JSON-RPC. */
import type { LogLevel } from "@boocode/mcp-config"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { CallScope } from "../base/CallScope.ts"
import type { ConnectionLost, Exited, McpErrorReason } from "../errors/McpError.ts"
import type { Asker } from "../host/ServerRequests.ts"
import type { CallProgress } from "./CallResult.ts"

/** What a listing brought, as the server wrote it. */
export interface Listing {
  /** In the order of the server; nothing is known of their shape but that they are objects. */
  readonly tools: ReadonlyArray<Schema.JsonObject>
  /** What was wrong with the listing itself, for instance a cursor that came twice. */
  readonly diagnostics: ReadonlyArray<string>
  /** For how long the server says that it holds (2026-07-28); null where it does not say. */
  readonly ttlMillis: number | null
}

/** A list beside that of the tools. */
export type ListKind = "prompts" | "resources" | "templates"

/** What such a listing brought, as the server wrote it. */
export interface ItemList {
  /** In the order of the server; nothing is known of their shape but that they are objects. */
  readonly items: ReadonlyArray<Schema.JsonObject>
  /** What was wrong with the listing itself. */
  readonly diagnostics: ReadonlyArray<string>
  /** For how long the server says that it holds (2026-07-28); null where it does not say. */
  readonly ttlMillis: number | null
}

/** Something of a server that is not a tool call: a prompt filled in, a resource read, a value completed. */
export interface Inquiry extends Inquirer {
  readonly method: "prompts/get" | "resources/read" | "completion/complete"
  readonly params: Schema.JsonObject
}

/** Who stands behind a request of ours, when the server asks something back. */
export interface Inquirer {
  /** Answers what the server asks about it; null is the host's own asker. */
  readonly asker?: Asker | null
  /** Is told whenever a question begins and ends that may belong to it: how many are open now. */
  readonly onAsked?: (open: number) => void
  /** The end of what the request belongs to, where that is run at once: there the request is over at the latest. */
  readonly parting?: CallScope | undefined
}

/** What a server may declare; `subscribe` is about updates of resources. */
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

/** What passes between the two sides of a connection. */
export interface Traffic {
  /**
   * When the server last said anything, in milliseconds of the clock; when the connection opened, if it said nothing.
   */
  readonly heardAt: number
  /** How many requests are waiting for their answer. */
  readonly waiting: number
}

/** An open, initialized connection to one server. It closes with the scope it was opened in. */
export interface Connection {
  readonly protocolVersion: string
  readonly serverInfo: { readonly name: string; readonly version: string } | null
  /** What the server says about its use, as it wrote it. */
  readonly instructions: string | null
  /** The process; null over HTTP. */
  readonly pid: number | null
  /**
   * All pages of `tools/list`, at most 100 pages and 10,000 tools. Empty when the server declares no tools. Has no time limit of its own.
   */
  readonly listTools: Effect.Effect<Listing, McpErrorReason>
  /**
   * Sends `tools/call` once and gives the result as the server wrote it. Interruption sends one
   * `notifications/cancelled`, or closes the stream in revision 2026-07-28 over HTTP. Has no time limit of its own.
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
  /** What passes between the two sides. */
  readonly traffic: () => Traffic
  /** Sets who is told that the server's list of tools changed. One that came before is told at once. */
  readonly onToolsChanged: (listener: () => void) => void
  /** Sets who is told that its prompts, or its resources and their templates, changed. What came before is not told. */
  readonly onListChanged: (listener: (what: "prompts" | "resources") => void) => void
  /** Whether it says that it tells of such changes, and is heard when it does. */
  readonly tellsOf: (what: "prompts" | "resources") => boolean
  /**
   * Says which resources' updates are wanted from now on, and of no others. Gives those that the server refuses to tell
   * of. Has no time limit of its own. To be asked for by one at a time.
   */
  readonly watch: (uris: ReadonlyArray<string>) => Effect.Effect<Refusals, McpErrorReason>
  /** Sets who is told the URI of a resource that changed. What came before is not told. */
  readonly onResourceUpdated: (listener: (uri: string) => void) => void
  /**
   * Asks for log lines of this weight and above; null for none, where the revision can say so. Has no time limit of its own.
   */
  readonly setLogLevel: (level: LogLevel | null) => Effect.Effect<void, McpErrorReason>
  /** Sets who is told what the server wants logged. What came before is not told. */
  readonly onLog: (listener: (message: LogMessage) => void) => void
  /** Whether arguments go into headers as well, where a tool asks for it: over HTTP since revision 2026-07-28. */
  readonly mirrorsArguments: () => boolean
  /** Waits until the connection is gone, and says why. */
  readonly closed: Effect.Effect<Exited | ConnectionLost>
  /** What is worth telling about how the server behaves. */
  readonly diagnostics: () => ReadonlyArray<string>
  /** The last lines of standard error; empty over HTTP. */
  readonly stderr: () => string
  /** Hides in a text of the server's what it was given: configured secrets, and its session (Decision 15). */
  readonly scrub: (text: string) => string
}
