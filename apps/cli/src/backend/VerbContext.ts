/** Running a verb with what it needs: the configuration, servers or chats, here or of a running server. */
import { type Configuration, McpConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as DataLocation from "../options/DataLocation.ts"
import type { Options, Target } from "../options/Options.ts"
import { type Ended, Failed, failed, Usage } from "../terminal/Failure.ts"
import { Output, plain } from "../terminal/Output.ts"
import { Backend } from "./Backend.ts"
import * as MissingServers from "./MissingServers.ts"

export const place = (options: Options) => DataLocation.resolve(options)

/** Runs with the configuration. Fails when a file of it cannot be parsed, and when the folder of `--data` is not there. */
export const configured = <A, E, R>(where: DataLocation.DataLocation, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const backend = yield* Backend
    const checked = Effect.gen(function*() {
      const config = yield* McpConfig
      yield* DataLocation.checkFolder(where)
      yield* checkSources(where, yield* config.current)
      return yield* use
    })
    return yield* Effect.provide(checked, backend.config(where))
  })

/** Which servers are started: all (null), the one of a name, or those that are chosen among all names. */
export type Chosen = null | string | ((names: ReadonlyArray<string>) => ReadonlyArray<string>)

/** Runs with servers of its own, and stops them all afterwards. A trial reads no pins and writes none. */
export const connected = <A, E, R>(options: Options, use: Effect.Effect<A, E, R>, chosen: Chosen, isTrial = false) =>
  Effect.gen(function*() {
    const backend = yield* Backend
    const where = yield* place(options)
    const registry = Layer.provide(backend.registry(where, options.serverLog, isTrial), onlyServers(chosen))
    return yield* configured(where, Effect.provide(use, registry))
  })

/** Runs with the chats of the database, and with all servers or none. */
export const connectedChats = <A, E, R>(options: Options, use: Effect.Effect<A, E, R>, chosen: Chosen) =>
  Effect.gen(function*() {
    const backend = yield* Backend
    const where = yield* place(options)
    const { layer } = yield* Effect.promise(() => import("./LocalChats.ts"))
    const chats = Layer.provide(backend.chats(where, options.serverLog), onlyServers(chosen))
    return yield* configured(where, Effect.provide(use, Layer.provideMerge(layer, chats)))
  })

/** The servers that are not chosen count as disabled. They keep their names, which tool names depend on. */
const onlyServers = (chosen: Chosen): Layer.Layer<McpConfig, never, McpConfig> => {
  const narrowed = (configuration: Configuration): Configuration => {
    const names = configuration.servers.map(({ name }) => name)
    const kept = new Set(chosen === null ? names : typeof chosen === "string" ? [chosen] : chosen(names))
    return {
      ...configuration,
      servers: configuration.servers.map((server) => kept.has(server.name) ? server : { ...server, enabled: false })
    }
  }
  return Layer.effect(
    McpConfig,
    Effect.map(McpConfig, (config) =>
      McpConfig.of({
        ...config,
        current: Effect.map(config.current, narrowed),
        changes: Stream.map(config.changes, narrowed),
        reload: Effect.map(config.reload, narrowed)
      }))
  )
}

/**
 * Runs a verb with the servers of the chat server that runs on the data folder, or starts servers for this command. A
 * running chat server may lack servers of the person's files: an overview always names those, another verb names them when
 * it finds no server or tool of a name.
 */
export const served = <A, E extends Failed | Usage | Ended, R>(
  options: Options,
  target: Target,
  use: Effect.Effect<A, E, R>,
  { chosen = null, isOverview = false }: { readonly chosen?: Chosen; readonly isOverview?: boolean } = {}
) =>
  Effect.gen(function*() {
    const url = yield* runningServer(options, target)
    if (url === null) {
      const { layer } = yield* Effect.promise(() => import("./LocalServers.ts"))
      return yield* connected(options, Effect.provide(use, layer), chosen)
    }
    const { layer } = yield* Effect.promise(() => import("./RemoteServers.ts"))
    const missing = target.url === null ? Effect.flatMap(place(options), MissingServers.tell) : Effect.void
    return yield* use.pipe(
      Effect.tap(isOverview ? missing : Effect.void),
      Effect.tapError((error) => isUnknown(error) ? missing : Effect.void),
      Effect.provide(layer),
      atServer(url)
    )
  })

/** Runs with the chats of a running server, or else with those of the database. Starts no servers. */
export const archived = <A, E, R>(options: Options, target: Target, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const url = yield* runningServer(options, target)
    return url === null ? yield* connectedChats(options, use, () => []) : yield* remoteChats(url, use)
  })

/** Runs with the chats of a running server, or else with those of the database and all servers. */
export const talking = <A, E, R>(
  options: Options,
  target: Target,
  use: (isRemote: boolean) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const url = yield* runningServer(options, target)
    return url === null ? yield* connectedChats(options, use(false), null) : yield* remoteChats(url, use(true))
  })

const remoteChats = <A, E, R>(url: string, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const { layer } = yield* Effect.promise(() => import("./RemoteChats.ts"))
    return yield* atServer(url)(Effect.provide(use, layer))
  })

export const atServer = (url: string) => <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Backend.use(({ remote }) => Effect.provide(use, remote(url)))

const isUnknown = (error: Failed | Usage | Ended): boolean =>
  error._tag === "Failed" && (error.tag === "UnknownServer" || error.tag === "UnknownTool")

/** Runs with the server of `--url`, or the one that runs on this data folder. Fails without one. */
export const controlling = <A, E, R>(options: Options, url: string | null, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    return yield* atServer((yield* runningServer(options, { url, isLocal: false })) ?? (yield* NO_SERVER))(use)
  })

const NO_SERVER = new Failed({
  tag: "NoServer",
  message: "no server runs on this data folder",
  hint: "start one with boocode serve, or name one with --url"
})

/** The address of the server that a verb talks to; null when it works by itself. Says so when nobody named the server. */
export const runningServer = Effect.fnUntraced(function*(options: Options, { isLocal, url }: Target) {
  if (isLocal && url !== null) return yield* BOTH_TARGETS
  if (isLocal || url !== null) return url
  const found = yield* (yield* Backend).running(yield* place(options))
  if (found !== null) {
    yield* Output.use(({ notePaint, notes }) => notes([notePaint.dim(`talking to the server at ${found}`)]))
  }
  return found
})

const BOTH_TARGETS = new Usage({
  message: "--url talks to a running server and --local does without one",
  hint: "give one of them"
})

/** Says that a running server applies an edit of its own file by itself. */
export const tellIfApplied = Effect.fnUntraced(function*(options: Options, scope: string) {
  const url = scope === "data" ? yield* (yield* Backend).running(yield* place(options)) : null
  if (url === null) return
  yield* Output.use(({ notePaint, notes }) => notes([notePaint.dim(`the server at ${url} applies it by itself`)]))
})

const noFile = (file: string): Failed =>
  new Failed({
    tag: "NoFile",
    message: `there is no file ${file}`,
    hint: `check the path after --config; boocode mcp add NAME --config ${file} -- COMMAND makes the file`,
    where: { file }
  })

const checkSources = Effect.fnUntraced(
  function*({ configFile, isNamed }: DataLocation.DataLocation, configuration: Configuration) {
    const output = yield* Output
    for (const source of configuration.sources) {
      if (source.error !== null) return yield* failed(source.error)
      const isAbsent = source.state === "absent" && (source.scope === "data" || source.scope === "command-line")
      if (isAbsent && configFile !== null) return yield* noFile(source.file)
      if (isAbsent && isNamed) {
        yield* output.notes([`${plain(source.file)} does not exist, so it configures no servers`])
      }
    }
    yield* output.notes(
      configuration.warnings.map((warning) => `${output.notePaint.careful("warning")}  ${plain(warning)}`)
    )
  }
)
