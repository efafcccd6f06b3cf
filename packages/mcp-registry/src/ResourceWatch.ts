/**
 * Updates of one resource, whichever generation of its server serves at the moment.
 */
import { Nearest } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { McpError, type McpErrorReason, UnknownServer } from "./McpError.ts"
import type { Applied, ServerSet } from "./ServerSet.ts"
import type { ResourceUpdate } from "./Watches.ts"

/** How a resource is watched. @category models */
export interface WatchOptions {
  /** Whether one comes as soon as the server tells of updates, so that who reads at each misses nothing. */
  readonly atStart?: boolean
}

/** The part of `McpRegistry` that is about them. @category models */
export type WatchResource = (
  server: string,
  uri: string,
  options?: WatchOptions
) => Stream.Stream<ResourceUpdate, McpError>

/** @category constructors */
export const make =
  (servers: Pick<ServerSet, "find" | "names" | "events">, applied: Stream.Stream<Applied>): WatchResource =>
  (name, uri, { atStart = false } = {}) => {
    const failure = (reason: McpErrorReason) => new McpError({ server: name, reason })
    const unknown = () =>
      new McpError({
        server: null,
        reason: new UnknownServer({ name, nearest: Nearest.nearest(name, servers.names()) })
      })
    const serving = () => servers.find(name)?.serving() ?? null
    const changes = Stream.merge(Stream.filter(servers.events, (status) => status.name === name), applied)
    return Stream.unwrap(Effect.gen(function*() {
      const first = serving()
      if (first === null) return Stream.fail(unknown())
      yield* Effect.mapError(first.watches.offered, failure)
      return Stream.merge(Stream.succeed(null), changes).pipe(
        Stream.map(serving),
        Stream.changesWith((was, is) => was === is),
        Stream.zipWithIndex,
        Stream.switchMap(([server, index]) =>
          server === null
            ? Stream.fail(unknown())
            : Stream.mapError(server.watches.updates(uri, atStart || index > 0), failure)
        )
      )
    }))
  }
