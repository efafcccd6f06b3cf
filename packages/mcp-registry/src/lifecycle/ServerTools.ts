/**
 * The tools of one server: judged when they are listed, listed again, judged again for other names, accepted as they are.
 */
import type { Connection, Listing } from "@boocode/mcp-client/Connection"
import { ServerLog } from "@boocode/mcp-client/Host"
import { EntryChanged, type McpErrorReason } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer, LogLevel, ServerConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as SelfDescription from "../state/SelfDescription.ts"
import * as ServerState from "../state/ServerState.ts"
import * as StateRef from "../state/StateRef.ts"
import * as Discovery from "../tools/Discovery.ts"
import * as Freshness from "../tools/Freshness.ts"
import type { Manifest } from "../tools/Manifest.ts"
import { Manifests } from "../tools/Manifests.ts"
import * as PinnedDiscovery from "../tools/PinnedDiscovery.ts"
import * as ToolRefresh from "./ToolRefresh.ts"

export interface ServerTools {
  /** For how long the last list is believed. */
  readonly freshness: Freshness.Freshness
  /** Judges the tools that a connection listed, and keeps the manifest of a lazy server. */
  readonly listed: (connection: Connection, manifest: Manifest) => Effect.Effect<Discovery.Discovered>
  readonly knowledge: (manifest: Manifest, discovered: Discovery.Discovered, level: LogLevel) => ServerState.Knowledge
  /** The knowledge of an earlier run of a lazy server; null where none is kept. */
  readonly recalled: (level: LogLevel) => Effect.Effect<ServerState.Knowledge | null>
  /** Takes over what this connection listed anew. */
  readonly replace: (connection: Connection, listing: Listing) => Effect.Effect<void>
  /** Lists the tools of this connection now, `startupTimeout` at most. */
  readonly refresh: (connection: Connection) => Effect.Effect<void, McpErrorReason>
  /** See `McpServer.accept`. */
  readonly accept: (hash: string | null) => Effect.Effect<void, McpErrorReason>
  /** Takes over what the entry says now of the classes of tools, and which of them are offered. */
  readonly adopt: (entry: ConfiguredServer) => Effect.Effect<void>
  /** Takes over the names of all configured servers. */
  readonly rename: (names: ReadonlyArray<string>) => Effect.Effect<void>
}

export interface Options {
  readonly entry: ConfiguredServer
  readonly config: ServerConfig
  readonly state: StateRef.StateRef
  /** The names of all configured servers at first. */
  readonly servers: ReadonlyArray<string>
  /** Has the pins and the manifests. */
  readonly context: Context.Context<never>
}

export const make = ({ config: given, context, entry, servers, state }: Options): ServerTools => {
  let config = given
  let names = servers

  const { recall, remember } = Context.get(context, Manifests)
  const judged = ({ serverInfo, tools }: Pick<Manifest, "tools" | "serverInfo">, isMirrored: boolean) =>
    Effect.provideContext(
      PinnedDiscovery.judge({ entry, config, tools, serverInfo, isMirrored }, () => names),
      context
    )
  const listed = (connection: Connection, manifest: Manifest) =>
    Effect.andThen(
      remember({ entry, config }, { ...manifest, scrub: connection.scrub }),
      judged(manifest, connection.mirrorsArguments())
    )
  const knowledge: ServerTools["knowledge"] = ({ capabilities, instructions }, discovered, level) => ({
    discovered: Discovery.among(discovered, config, names),
    instructions,
    capabilities,
    logLevel: capabilities?.logging === true ? level : null
  })
  const replace = (connection: Connection, listing: Listing) =>
    Effect.flatMap(
      listed(connection, SelfDescription.manifestOf(connection, listing.tools)),
      (discovered) =>
        StateRef.send(state, {
          _tag: "Listed",
          connection,
          discovered: Discovery.among(discovered, config, names),
          diagnostics: listing.diagnostics
        })
    )
  const judgedAgain = (judge: (before: Discovery.Discovered) => Discovery.Discovered) =>
    Effect.suspend(() => {
      const { discovered: before } = StateRef.now(state)
      const discovered = judge(before)
      return discovered === before ? Effect.void : StateRef.send(state, { _tag: "Judged", discovered })
    })
  return {
    freshness: Freshness.make(),
    listed,
    knowledge,
    recalled: Effect.fnUntraced(function*(level: LogLevel) {
      const manifest = yield* recall({ entry, config })
      return manifest === null ? null : knowledge(manifest, yield* judged(manifest, false), level)
    }),
    replace: (connection, listing) =>
      Effect.andThen(
        replace(connection, listing),
        Effect.suspend(() => {
          const { rejected, tools } = StateRef.now(state).discovered
          return ServerLog.event(`its tools changed: ${tools.length}, ${rejected.length} rejected`)
        })
      ),
    refresh: (connection) =>
      Effect.flatMap(ToolRefresh.once(config, connection), (listing) => replace(connection, listing)),
    accept: (hash) =>
      Effect.suspend(() => {
        const now = StateRef.now(state)
        const { isMirrored, listed: tools, pins } = now.discovered
        if (pins.accept === null) return Effect.void
        if (hash !== null && pins.hash !== hash) return Effect.fail(new EntryChanged({ file: entry.source }))
        const serverInfo = ServerState.connectionOf(now)?.serverInfo ?? null
        return Effect.andThen(
          pins.accept,
          Effect.flatMap(
            judged({ tools, serverInfo }, isMirrored),
            (discovered) => StateRef.send(state, { _tag: "Judged", discovered })
          )
        )
      }),
    adopt: ({ config: changed }) =>
      judgedAgain((before) => {
        if (Result.isFailure(changed)) return before
        const { classes, targets, trustAnnotations, writes } = changed.success
        const next = { ...config, classes, targets, trustAnnotations, writes }
        if (Equal.equals(next, config)) return before
        config = next
        return Discovery.again(before, config)
      }),
    rename: (next) =>
      judgedAgain((before) => {
        names = next
        return Discovery.among(before, config, next)
      })
  }
}
