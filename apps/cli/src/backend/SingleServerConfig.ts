/** Some servers of a configuration: the others count as disabled, and keep the names that tool names depend on. */
import { type Configuration, McpConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

export const layer = (name: string): Layer.Layer<McpConfig, never, McpConfig> => layerOf(() => [name])

/** For what needs no server. */
export const none: Layer.Layer<McpConfig, never, McpConfig> = layerOf(() => [])

/** Those that are chosen of the names of all. */
export function layerOf(
  choose: (names: ReadonlyArray<string>) => ReadonlyArray<string>
): Layer.Layer<McpConfig, never, McpConfig> {
  const alone = (configuration: Configuration): Configuration => {
    const chosen = new Set(choose(configuration.servers.map(({ name }) => name)))
    return {
      ...configuration,
      servers: configuration.servers.map((server) => chosen.has(server.name) ? server : { ...server, enabled: false })
    }
  }
  return Layer.effect(
    McpConfig,
    Effect.map(McpConfig, (config) =>
      McpConfig.of({
        ...config,
        current: Effect.map(config.current, alone),
        changes: Stream.map(config.changes, alone),
        reload: Effect.map(config.reload, alone)
      }))
  )
}
