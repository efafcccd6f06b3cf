/**
 * The fetch that HTTP servers are reached through, as a service, so that tests script it and hosts choose their own.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/**
 * A `fetch`. It must not have time limits of its own: every wait is limited by the registry.
 *
 * @category services
 */
export class McpFetch extends Context.Service<McpFetch, {
  readonly fetch: typeof globalThis.fetch
  /** The same, but never to a private address, whatever a name or a redirect leads to: for entries with `publicOnly`. */
  readonly publicFetch?: typeof globalThis.fetch
}>()("mcp-registry/McpFetch") {
  /** Gives a fetch that the caller has. */
  static readonly layer = (fetch: typeof globalThis.fetch): Layer.Layer<McpFetch> =>
    Layer.succeed(McpFetch, McpFetch.of({ fetch }))
}
