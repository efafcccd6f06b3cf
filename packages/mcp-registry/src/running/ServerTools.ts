/**
 * The tools of one server as they are known: used, listed again, judged for other names, accepted as they are.
 */
import type { Connection } from "@boocode/mcp-client/Connection"
import { EntryChanged, type McpErrorReason } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { McpTool } from "../model/McpTool.ts"
import * as ServerState from "../server/ServerState.ts"
import type { Standing } from "../server/ServerState.ts"
import * as Discovery from "../tools/Discovery.ts"
import type { Freshness } from "../tools/Freshness.ts"
import type { Manifest } from "../tools/Manifest.ts"
import { Manifests } from "../tools/Manifests.ts"
import * as PinnedDiscovery from "../tools/PinnedDiscovery.ts"
import * as ToolRefresh from "./ToolRefresh.ts"

/** @category models */
export interface Options {
  readonly entry: ConfiguredServer
  readonly standing: Standing
  readonly clock: Clock.Clock
  readonly news: { readonly freshness: Freshness }
  /** What pins and remembers them is known where the server is made. */
  readonly context: Context.Context<never>
  /** The names of all configured servers at first. */
  readonly servers: ReadonlyArray<string>
}

/** What is offered of the tools of one server; see `McpServer`. @category models */
export class ServerTools {
  /** The names of all configured servers, as they are at the moment. */
  servers: ReadonlyArray<string>
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
    this.servers = options.servers
  }

  get known(): Discovery.Discovered {
    return this.options.standing.now.discovered
  }
  get tools(): Effect.Effect<ReadonlyArray<McpTool>> {
    return Effect.sync(() => {
      this.used()
      return this.known.tools
    })
  }
  tool(name: string): McpTool | null {
    return this.known.byName.get(name) ?? null
  }
  offers({ name, tool }: McpTool): boolean {
    return this.tool(name)?.tool === tool || this.known.tools.some((other) => other.tool === tool)
  }
  /** To be run whenever they are used: whoever does so does not wait for them to be listed again. */
  used(): void {
    const { clock, news } = this.options
    news.freshness.used(clock)
  }
  /** Lists them again. Fails with why they cannot be listed. */
  refresh(config: ServerConfig, connection: Connection): Effect.Effect<void, McpErrorReason> {
    return Effect.flatMap(ToolRefresh.once(config, connection), ({ diagnostics, tools }) => {
      const { context, entry, standing } = this.options
      const manifest = ServerState.manifestOf(connection, tools)
      const { remember } = Context.get(context, Manifests)
      return Effect.andThen(
        remember({ entry, config }, { ...manifest, scrub: connection.scrub }),
        Effect.flatMap(
          this.judge(config, manifest, connection.mirrorsArguments()),
          (discovered) =>
            standing.update((now) =>
              // It may have been stopped, or have another connection, by now.
              now.connection === connection ? { discovered, listing: diagnostics } : null
            )
        )
      )
    })
  }
  /** See `McpServer.accept`. */
  accept(hash: string | null): Effect.Effect<void, McpErrorReason> {
    return Effect.suspend(() => {
      const { entry: { config, source }, standing } = this.options
      const { connection, discovered: { isMirrored, listed, pins } } = standing.now
      if (pins.accept === null || Result.isFailure(config)) return Effect.void
      if (hash !== null && pins.hash !== hash) return Effect.fail(new EntryChanged({ file: source }))
      const manifest = { tools: listed, serverInfo: connection?.serverInfo ?? null }
      return Effect.andThen(
        pins.accept,
        Effect.flatMap(this.judge(config.success, manifest, isMirrored), (discovered) =>
          standing.update((now) =>
            // What was listed meanwhile was judged by itself.
            now.discovered.listed === listed ? { discovered } : null
          ))
      )
    })
  }
  /** Takes over the names of all configured servers. */
  rename(names: ReadonlyArray<string>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { entry: { config }, standing } = this.options
      if (this.servers === names) return Effect.void
      this.servers = names
      return Result.isFailure(config) ? Effect.void : standing.update(({ discovered: before }) => {
        const discovered = Discovery.among(before, config.success, names)
        return discovered === before ? null : { discovered }
      })
    })
  }
  private judge(config: ServerConfig, manifest: Pick<Manifest, "tools" | "serverInfo">, isMirrored: boolean) {
    const { context, entry } = this.options
    const { serverInfo, tools } = manifest
    const judged = PinnedDiscovery.judge({ entry, config, tools, serverInfo, isMirrored }, () => this.servers)
    return Effect.provideContext(judged, context)
  }
}
