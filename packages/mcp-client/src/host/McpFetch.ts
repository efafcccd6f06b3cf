/** How HTTP servers are reached, as a service: tests script it, and hosts choose their own. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/** One request. */
export interface HttpRequest {
  readonly method: "DELETE" | "GET" | "POST"
  /** An http or https URL. */
  readonly url: URL
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Null where the request has none. */
  readonly body: string | null
}

/** The headers of a response, by their names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Waits before more of a response is read; calls `goOn` once when reading may continue. */
export type Pause = (goOn: () => void) => void

/** Takes a response: its headers once, its decompressed bytes in order, then its end or an error. */
export interface HttpReceiver {
  /** Also called for a redirect, which is not followed. */
  readonly onHeaders: (status: number, headers: ResponseHeaders) => void
  /** The receiver may keep the bytes. Returns what to wait for before more is read, if anything. */
  readonly onData: (chunk: Uint8Array) => Pause | null | void
  readonly onEnd: () => void
  /** Receives what `fetch` would have rejected with. Nothing comes after it. */
  readonly onError: (error: unknown) => void
}

/**
 * Sends a request without the cost of a promise, and returns what aborts it: the receiver hears nothing from then on.
 * Never throws, and calls the receiver in a later turn only. Like the fetch it has no time limits of its own.
 */
export type HttpSend = (request: HttpRequest, receiver: HttpReceiver) => () => void

/** A `fetch`. It must not have time limits of its own: the registry limits every wait. */
export class McpFetch extends Context.Service<McpFetch, {
  readonly fetch: typeof globalThis.fetch
  /** A fetch for entries with `publicOnly`: it connects to no private address, wherever a name or a redirect leads. */
  readonly publicFetch?: typeof globalThis.fetch
  /** Carries the conversations, faster than `fetch`. Without it they go through `fetch`. */
  readonly send?: HttpSend
  /** Carries the conversations of entries with `publicOnly`. */
  readonly publicSend?: HttpSend
}>()("mcp-client/McpFetch") {
  /** Provides a fetch that the caller has. */
  static readonly layer = (fetch: typeof globalThis.fetch): Layer.Layer<McpFetch> =>
    Layer.succeed(McpFetch, McpFetch.of({ fetch }))
}
