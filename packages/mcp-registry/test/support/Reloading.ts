/** A registry whose configuration a test writes anew as it goes. */
import { type Configuration, Environment, McpConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { McpRegistry } from "../../src/index.ts"
import * as ScriptedHost from "./ScriptedHost.ts"

export type Entries = Readonly<Record<string, unknown>>

export interface World {
  readonly registry: McpRegistry["Service"]
  readonly host: ScriptedHost.Host
  /** Replaces the configuration, and lets everything happen that does so at once. */
  readonly save: (entries: Entries) => Effect.Effect<void>
  /** The same, without letting anything happen. */
  readonly write: (entries: Entries) => Effect.Effect<void>
  /** Sets what a reader of files would give. */
  readonly put: (configuration: Configuration) => Effect.Effect<void>
  /** Each server as `name state pid`, and one line a warning. */
  readonly servers: Effect.Effect<ReadonlyArray<string>>
  readonly pid: (name: string) => Effect.Effect<number | null>
  readonly warnings: (name: string) => Effect.Effect<string>
}

/** What the entries mean, by the reader that files go through. */
export const configurationOf = (
  entries: Entries,
  variables: Readonly<Record<string, string>> = {}
): Effect.Effect<Configuration> =>
  Effect.flatMap(McpConfig, ({ current }) => current).pipe(
    Effect.provide(
      McpConfig.layerEntries(entries).pipe(
        Layer.provide([FileSystem.layerNoop({}), Path.layer, Environment.layer(variables)])
      )
    )
  )

/** Runs with a registry of these entries, once all of its servers had their chance to connect. */
export const withWorld = <A, E, R>(
  scripts: Readonly<Record<string, ScriptedHost.Script>>,
  entries: Entries,
  body: (world: World) => Effect.Effect<A, E, R>,
  more: Layer.Layer<never> = Layer.empty
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make(scripts)
    const ref = yield* SubscriptionRef.make(yield* configurationOf(entries))
    const write = (next: Entries) =>
      Effect.flatMap(configurationOf(next), (configuration) => SubscriptionRef.set(ref, configuration))
    const result = yield* McpRegistry.use((registry) =>
      Effect.gen(function*() {
        yield* ScriptedHost.drain
        return yield* body({
          registry,
          host,
          write,
          put: (configuration) => Effect.andThen(SubscriptionRef.set(ref, configuration), ScriptedHost.drain),
          save: (next) => Effect.andThen(write(next), ScriptedHost.drain),
          servers: Effect.map(registry.servers, (all) => all.map(({ name, pid, state }) => `${name} ${state} ${pid}`)),
          pid: (name) => Effect.orDie(Effect.map(registry.server(name), ({ pid }) => pid)),
          warnings: (name) => Effect.orDie(Effect.map(registry.server(name), ({ warnings }) => warnings.join("\n")))
        })
      })
    ).pipe(Effect.provide(host.layerOf(ref).pipe(Layer.provide(more))))
    return { result, host }
  })
