/**
 * The tools of one server as they are known: used, listed again, judged for other names, accepted as they are.
 */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Connection } from "./Connection.ts"
import * as Discovery from "./Discovery.ts"
import type { Freshness } from "./Freshness.ts"
import { type Manifest, Manifests } from "./Manifests.ts"
import { EntryChanged, type McpErrorReason } from "./McpError.ts"
import type { McpTool, RejectedTool } from "./McpTool.ts"
import * as SelfDescription from "./SelfDescription.ts"
import * as ServerLog from "./ServerLog.ts"
import type { ServerSnapshot } from "./ServerSnapshot.ts"
import * as ToolRefresh from "./ToolRefresh.ts"
import * as PinnedDiscovery from "./trust/PinnedDiscovery.ts"
import type * as PinVerdict from "./trust/PinVerdict.ts"

/** What a server's layer offers of them; see `McpServer`. @category models */
export interface ServerTools {
  readonly tools: Effect.Effect<ReadonlyArray<McpTool>>
  readonly tool: (name: string) => McpTool | null
  readonly rejected: Effect.Effect<ReadonlyArray<RejectedTool>>
  readonly pins: Effect.Effect<PinVerdict.PinVerdict>
  readonly offers: (tool: McpTool) => boolean
  /** To be run whenever they are used: whoever does so does not wait for them to be listed again. */
  readonly used: () => void
  /** Lists them again. Fails with why they cannot be listed. */
  readonly refresh: (config: ServerConfig, connection: Connection) => Effect.Effect<void, McpErrorReason>
  readonly accept: (hash: string | null) => Effect.Effect<void, McpErrorReason>
  readonly rename: (servers: ReadonlyArray<string>) => Effect.Effect<void>
  /** The names of all configured servers, as they are at the moment. */
  readonly servers: () => ReadonlyArray<string>
}

/** @category models */
export interface Options {
  readonly entry: ConfiguredServer
  readonly snapshot: SubscriptionRef.SubscriptionRef<ServerSnapshot>
  readonly log: ServerLog.ServerLog
  readonly freshness: Freshness
  /** The names of all configured servers at first. */
  readonly servers: ReadonlyArray<string>
}

/** @category constructors */
export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<ServerTools> {
  const { entry, freshness, log, snapshot } = options
  // What pins them is known where the layer is built.
  const context = yield* Effect.context<never>()
  const manifests = yield* Manifests
  let servers = options.servers

  const read = SubscriptionRef.get(snapshot)
  const clock = yield* Clock.Clock
  const used = () => freshness.used(clock)
  const known = () => SubscriptionRef.getUnsafe(snapshot).discovered
  const judge = (config: ServerConfig, manifest: Pick<Manifest, "tools" | "serverInfo">, isMirrored: boolean) => {
    const { serverInfo, tools } = manifest
    const judged = PinnedDiscovery.judge({ entry, config, tools, serverInfo, isMirrored }, () => servers)
    return Effect.provideService(Effect.provideContext(judged, context), ServerLog.Current, log)
  }
  const judgeAgain = (config: ServerConfig) =>
    SubscriptionRef.updateSome(snapshot, (now) => {
      const discovered = Discovery.among(now.discovered, config, servers)
      return discovered === now.discovered ? Option.none() : Option.some({ ...now, discovered })
    })
  return {
    tools: Effect.sync(() => {
      used()
      return known().tools
    }),
    tool: (name) => known().byName.get(name) ?? null,
    rejected: Effect.map(read, ({ discovered }) => discovered.rejected),
    pins: Effect.map(read, ({ discovered }) => discovered.pins),
    offers: ({ name, tool }) =>
      known().byName.get(name)?.tool === tool || known().tools.some((other) => other.tool === tool),
    used,
    refresh: Effect.fnUntraced(function*(config: ServerConfig, connection: Connection) {
      const listing = yield* ToolRefresh.once(config, connection)
      const manifest = SelfDescription.manifestOf(connection, listing.tools)
      yield* manifests.remember({ entry, config }, { ...manifest, scrub: connection.scrub })
      const discovered = yield* judge(config, manifest, connection.mirrorsArguments())
      yield* SubscriptionRef.update(snapshot, (now) =>
        // It may have been stopped, or have another connection, by now.
        now.connection === connection ? { ...now, discovered, listing: listing.diagnostics } : now)
    }),
    accept: Effect.fnUntraced(function*(hash: string | null) {
      const { connection, discovered } = yield* read
      if (discovered.pins.accept === null || Result.isFailure(entry.config)) return
      if (hash !== null && discovered.pins.hash !== hash) return yield* new EntryChanged({ file: entry.source })
      yield* discovered.pins.accept
      const { isMirrored, listed } = discovered
      const manifest = { tools: listed, serverInfo: connection?.serverInfo ?? null }
      const pinned = yield* judge(entry.config.success, manifest, isMirrored)
      yield* SubscriptionRef.update(snapshot, (now) =>
        // What was listed meanwhile was judged by itself.
        now.discovered.listed === discovered.listed ? { ...now, discovered: pinned } : now)
    }),
    rename: (names) =>
      Effect.suspend(() => {
        if (servers === names) return Effect.void
        servers = names
        return Result.isFailure(entry.config) ? Effect.void : judgeAgain(entry.config.success)
      }),
    servers: () => servers
  }
})
