/**
 * The fetch that HTTP servers are reached through, as a service, so that tests script it and hosts choose their own.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/** One POST of a text. */
export interface Posting {
  /** An http or https address: one object for all requests to one server. */
  readonly url: URL
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The headers of a response, by their names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Waits before more of a response is read; calls `goOn` once when it may be. */
export type Pause = (goOn: () => void) => void

/** Receives a response: its headers once, its bytes unpacked and in order, then its end or an error. */
export interface Receiving {
  /** Also of a redirect, which is not followed. */
  readonly onHeaders: (status: number, headers: ResponseHeaders) => void
  /** The bytes are the receiver's to keep. Gives what to wait for before more is read; nothing where there is none. */
  readonly onData: (chunk: Uint8Array) => Pause | null | void
  readonly onEnd: () => void
  /** Given what `fetch` would have rejected with; nothing comes after it. */
  readonly onError: (error: unknown) => void
}

/**
 * Sends a POST without the cost of a promise, and gives what ends it: nobody is told anything from then on. Never throws.
 * Like the fetch it has no time limits of its own.
 */
export type Post = (posting: Posting, receiving: Receiving) => () => void

/** A `fetch`. It must not have time limits of its own: the callers limit every wait. */
export class McpFetch extends Context.Service<McpFetch, {
  readonly fetch: typeof globalThis.fetch
  /**
   * The same, but never to a private address, whatever a name or a redirect leads to: for entries with `publicOnly`.
   */
  readonly publicFetch?: typeof globalThis.fetch
  /** A faster way for the requests of a conversation; without it they go through `fetch`. */
  readonly post?: Post
  /** The same, but never to a private address. */
  readonly publicPost?: Post
}>()("mcp-client/McpFetch") {
  /** Gives a fetch that the caller has. */
  static readonly layer = (fetch: typeof globalThis.fetch): Layer.Layer<McpFetch> =>
    Layer.succeed(McpFetch, McpFetch.of({ fetch }))
}
