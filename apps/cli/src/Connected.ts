/** What the verbs that read the configuration, and those that connect, have in common. */
import { type Configuration, McpConfig } from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { fileURLToPath } from "node:url"
import { Backend } from "./Backend.ts"
import { failed } from "./Failure.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import * as Place from "./Place.ts"
import { oneLine, plain } from "./PlainText.ts"

/** The folder this command was installed into, as far as the checkout is concerned. */
const CHECKOUT = fileURLToPath(new URL("../../../", import.meta.url))

export const place = (options: Options) => Place.resolve(options, CHECKOUT)

/** Runs with the configuration. Fails when a file of it cannot be parsed. */
export const configured = <A, E, R>(where: Place.Place, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const backend = yield* Backend
    const checked = Effect.gen(function*() {
      const config = yield* McpConfig
      yield* checkSources(where, yield* config.current)
      return yield* use
    })
    return yield* Effect.provide(checked, backend.config(where))
  })

/** Runs with the servers that `started` brings, and stops them all afterwards. */
export const connected = <A, E, R, Out, E2, R2>(
  options: Options,
  started: (backend: typeof Backend.Service, where: Place.Place) => Layer.Layer<Out | McpRegistry, E2, R2>,
  use: Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const backend = yield* Backend
    const where = yield* place(options)
    return yield* configured(where, Effect.provide(use, started(backend, where)))
  })

/** Waits until no server is connecting any more, and says for whom when that takes long. */
export const settled = McpRegistry.use((registry) => awaited(registry.settled, () => true))

/** The same for these servers alone. */
export const settledServers = (names: ReadonlyArray<string>) =>
  McpRegistry.use((registry) =>
    awaited(
      Effect.forEach(names, registry.settledServer, { concurrency: "unbounded" }),
      (name) => names.includes(name)
    )
  )

const awaited = <A, E>(wait: Effect.Effect<A, E>, isAwaited: (name: string) => boolean) =>
  Effect.gen(function*() {
    const registry = yield* McpRegistry
    const output = yield* Output
    const told = Effect.flatMap(registry.servers, (servers) => {
      const connecting = servers.filter(({ name, state }) => state === "connecting" && isAwaited(name))
      const names = connecting.map(({ name }) => oneLine(name))
      return names.length === 0 ? Effect.void : output.notes([`waiting for ${names.join(", ")} …`])
    })
    yield* Effect.forkScoped(Effect.delay(told, LONG))
    return yield* wait
  }).pipe(Effect.scoped)

const LONG = "2 seconds"

const checkSources = Effect.fnUntraced(function*({ isNamed }: Place.Place, configuration: Configuration) {
  const output = yield* Output
  for (const source of configuration.sources) {
    if (source.error !== null) return yield* failed(source.error)
    if (source.state === "absent" && isNamed && (source.scope === "data" || source.scope === "command-line")) {
      yield* output.notes([`${plain(source.file)} is not there, so it configures no servers`])
    }
  }
  yield* output.notes(
    configuration.warnings.map((warning) => `${output.notePaint.careful("warning")}  ${plain(warning)}`)
  )
})
