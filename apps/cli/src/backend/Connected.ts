/** What the verbs that read the configuration, and those that connect, have in common. */
import { type Configuration, McpConfig } from "@boocode/mcp-config"
import type { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fileURLToPath } from "node:url"
import type { Options, Target } from "../options/Options.ts"
import * as Place from "../options/Place.ts"
import { type Ended, Failed, failed, Usage } from "../terminal/Failure.ts"
import { Output, plain } from "../terminal/Output.ts"
import { Backend } from "./Backend.ts"
import * as MissingServers from "./MissingServers.ts"
import * as SingleServerConfig from "./SingleServerConfig.ts"

/** The folder this command was installed into, as far as the checkout is concerned. */
export const CHECKOUT = fileURLToPath(new URL("../../../../", import.meta.url))

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

/**
 * The same with a running server's servers, or with those it starts itself. An overview tells what the former lack; `only`
 * names the one server that is started, or chooses those that are.
 */
export const served = <A, E extends Failed | Usage | Ended, R>(
  options: Options,
  target: Target,
  use: Effect.Effect<A, E, R>,
  isOverview = false,
  only: string | ((names: ReadonlyArray<string>) => ReadonlyArray<string>) | null = null
) =>
  Effect.gen(function*() {
    const backend = yield* Backend
    if (target.isLocal && target.url !== null) return yield* bothTargets
    const url = target.isLocal ? null : target.url ?? (yield* found(options))
    if (url === null) {
      const { layer } = yield* Effect.promise(() => import("./LocalServers.ts"))
      const local = Effect.provide(use, layer)
      const narrowed = only === null
        ? Layer.empty
        : typeof only === "string"
        ? SingleServerConfig.layer(only)
        : SingleServerConfig.layerOf(only)
      return yield* connected(
        options,
        (backend, where) => Layer.provide(backend.registry(where, options.serverLog), narrowed),
        local
      )
    }
    const { layer } = yield* Effect.promise(() => import("./RemoteServers.ts"))
    const absent = target.url === null ? Effect.flatMap(place(options), MissingServers.told) : Effect.void
    return yield* use.pipe(
      Effect.tap(isOverview ? absent : Effect.void),
      Effect.tapError((error) => isUnknown(error) ? absent : Effect.void),
      Effect.provide(Layer.provide(layer, backend.remote(url)))
    )
  })

/** The same for what is kept of chats: with a running server's, or those of the database, for which nothing is started. */
export const archived = <A, E, R>(options: Options, target: Target, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const backend = yield* Backend
    if (target.isLocal && target.url !== null) return yield* bothTargets
    const url = target.isLocal ? null : target.url ?? (yield* found(options))
    if (url === null) {
      const { archiveLayer: layer } = yield* Effect.promise(() => import("./LocalConversation.ts"))
      const here = Effect.provide(use, layer)
      return yield* connected(
        options,
        (backend, where) => Layer.provide(backend.chats(where, options.serverLog), SingleServerConfig.none),
        here
      )
    }
    const { archiveLayer: layer } = yield* Effect.promise(() => import("./RemoteConversation.ts"))
    return yield* Effect.provide(use, Layer.provide(layer, backend.remote(url)))
  })

const isUnknown = (error: Failed | Usage | Ended): boolean =>
  error._tag === "Failed" && (error.tag === "UnknownServer" || error.tag === "UnknownTool")

export const bothTargets = new Usage({
  message: "--url talks to a running server and --local does without one",
  hint: "give one of them"
})

/** Runs with the server that `--url` names, or the one that runs on this data folder; without one it fails. */
export const controlling = <A, E, R>(options: Options, target: Target, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const backend = yield* Backend
    const url = target.url ?? (yield* found(options))
    return yield* Effect.provide(use, url === null ? Layer.effectContext(noServer) : backend.remote(url))
  })

const noServer = Effect.fail(
  new Failed({
    tag: "NoServer",
    message: "no server runs on this data folder",
    hint: "start one with boocode serve, or name one with --url"
  })
)

/** The running server of this data folder; that it is talked to is worth a line, as nobody named it. */
export const found = Effect.fnUntraced(function*(options: Options) {
  const url = yield* (yield* Backend).running(yield* place(options))
  if (url !== null) {
    yield* Output.use(({ notePaint, notes }) => notes([notePaint.dim(`talking to the server at ${url}`)]))
  }
  return url
})

/** Says that a running server needs no word of an edit of its own file. */
export const tellIfApplied = Effect.fnUntraced(function*(options: Options, scope: string) {
  const url = scope === "data" ? yield* (yield* Backend).running(yield* place(options)) : null
  if (url === null) return
  yield* Output.use(({ notePaint, notes }) => notes([notePaint.dim(`the server at ${url} applies it by itself`)]))
})

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
