/**
 * The service: which servers there are, from which files, and what is wrong with them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as ConfigFile from "./ConfigFile.ts"
import * as ConfigScopes from "./ConfigScopes.ts"
import type { Configuration } from "./Configuration.ts"
import type { Environment } from "./Environment.ts"

/**
 * What the layers that read files need.
 *
 * @category models
 */
export type McpConfigNeeds = FileSystem.FileSystem | Path.Path | Environment

/**
 * The configuration as the rest of the house asks for it. Files are read once, when the layer is built; building never
 * fails.
 *
 * @category services
 */
export class McpConfig extends Context.Service<McpConfig, {
  /** The configuration as it stands. Never fails: a broken file or entry is part of the value. */
  readonly current: Effect.Effect<Configuration>
}>()("mcp-config/McpConfig") {
  /** That file alone, trusted. A file that is not there is no servers, and its state is `absent`. */
  static readonly layerFile = (file: string): Layer.Layer<McpConfig, never, McpConfigNeeds> =>
    fromEffect(ConfigScopes.read({ dataFile: file, projectFrom: null, home: null }))

  /** The scopes of files, each unless null. Entries of a higher scope hide those of the same name below it. */
  static readonly layerScopes = (scopes: ConfigScopes.Scopes): Layer.Layer<McpConfig, never, McpConfigNeeds> =>
    fromEffect(ConfigScopes.read(scopes))

  /** Entries a program has as values, by name, in the native shape. Trusted; relative paths start where the program runs. */
  static readonly layerEntries = (
    entries: Readonly<Record<string, unknown>>
  ): Layer.Layer<McpConfig, never, McpConfigNeeds> =>
    fromEffect(Effect.map(ConfigFile.fromEntries(entries), ConfigScopes.merge))

  /** This very configuration. */
  static readonly layerTest = (configuration: Configuration): Layer.Layer<McpConfig> =>
    Layer.succeed(McpConfig, McpConfig.of({ current: Effect.succeed(configuration) }))
}

const fromEffect = <R>(read: Effect.Effect<Configuration, never, R>): Layer.Layer<McpConfig, never, R> =>
  Layer.effect(McpConfig, Effect.map(read, (configuration) => ({ current: Effect.succeed(configuration) })))
