/** The service: which servers there are, from which files, and what is wrong with them, now and as it changes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Configuration } from "../model/Configuration.ts"
import { Environment } from "../model/Environment.ts"
import * as ConfigFile from "./ConfigFile.ts"
import type * as ConfigFiles from "./ConfigFiles.ts"
import * as ConfigScopes from "./ConfigScopes.ts"
import * as FileNews from "./FileNews.ts"

/** The services that layers need to read files. */
export type McpConfigNeeds = FileSystem.FileSystem | Path.Path | Environment

/**
 * The configuration as the rest of the house asks for it. Files are read when the layer is built, which never fails, and
 * again when somebody asks for it: `ConfigWatch.layer` does so when a file changes.
 *
 * **Example** (The servers of a file)
 *
 * ```ts
 * import { Environment, McpConfig } from "@boocode/mcp-config"
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 * import { Effect, Layer } from "effect"
 *
 * const Config = McpConfig.layerFile("mcp.json").pipe(
 *   Layer.provide([NodeServices.layer, Environment.layer(process.env)])
 * )
 * const names = Effect.gen(function*() {
 *   const config = yield* McpConfig
 *   const { servers } = yield* config.current
 *   return servers.map(({ name, transport }) => `${name}: ${transport}`)
 * })
 * console.log(await Effect.runPromise(Effect.provide(names, Config))) // [ 'files: stdio' ]
 * ```
 */
export class McpConfig extends Context.Service<McpConfig, {
  /** The configuration as it stands. Never fails: a broken file or entry is part of the value. */
  readonly current: Effect.Effect<Configuration>
  /** The configuration as it stands, then each that differs from the one before. */
  readonly changes: Stream.Stream<Configuration>
  /**
   * Reads everything again and gives what stands then. A file that cannot be used any more leaves its servers as they
   * were: its source is `kept` and has the error. Bad news (such a file, or one that is gone) is looked at twice, 500 ms
   * apart, because the file may be in the middle of being written. One at a time. Never fails.
   */
  readonly reload: Effect.Effect<Configuration>
  /** Every file the configuration comes from, absolute, those that are not there included. */
  readonly files: Effect.Effect<ReadonlyArray<string>>
}>()("mcp-config/McpConfig") {
  /**
   * That file alone, trusted. One that is not there, or cannot be used, is no servers: its state is `absent` or `invalid`,
   * and the log says so once, with its place.
   */
  static readonly layerFile = (file: string): Layer.Layer<McpConfig, never, McpConfigNeeds> =>
    McpConfig.layerScopes({ dataFile: file, projectFrom: null, home: null })

  /**
   * The scopes of files, each unless null. Entries of a higher scope hide those of the same name below it. The log says once
   * which file cannot be used, and that a data file is not there; `isTold: false` is for a program that tells of it itself.
   */
  static readonly layerScopes = (
    scopes: ConfigFiles.Scopes,
    { isTold = true }: { readonly isTold?: boolean } = {}
  ): Layer.Layer<McpConfig, never, McpConfigNeeds> =>
    Layer.effect(McpConfig, isTold ? Effect.flatMap(ofFiles(scopes), telling) : ofFiles(scopes))

  /** Entries a program has as values, by name, in the native shape. Trusted; relative paths start where the program runs. */
  static readonly layerEntries = (
    entries: Readonly<Record<string, unknown>>
  ): Layer.Layer<McpConfig, never, McpConfigNeeds> =>
    Layer.effect(
      McpConfig,
      make(() => Effect.map(ConfigFile.fromEntries(entries), (content) => [content]), Effect.succeed)
    )

  /** A configuration that the program itself sets, as often as it likes. Names must be unique. */
  static readonly layerRef = (ref: SubscriptionRef.SubscriptionRef<Configuration>): Layer.Layer<McpConfig> =>
    Layer.succeed(
      McpConfig,
      McpConfig.of({
        current: SubscriptionRef.get(ref),
        changes: SubscriptionRef.changes(ref),
        reload: SubscriptionRef.get(ref),
        files: Effect.succeed([])
      })
    )

  /** This very configuration. */
  static readonly layerTest = (configuration: Configuration): Layer.Layer<McpConfig> =>
    Layer.succeed(
      McpConfig,
      McpConfig.of({
        current: Effect.succeed(configuration),
        changes: Stream.make(configuration),
        reload: Effect.succeed(configuration),
        files: Effect.succeed([])
      })
    )
}

const SECOND_LOOK = "500 millis"

type Contents = ReadonlyArray<ConfigFile.Content>

const ofFiles = (scopes: ConfigFiles.Scopes) =>
  make((before) => ConfigScopes.contents(scopes, before), ConfigScopes.withFormerVariables)

/** Logs the errors of files whenever they are read. */
const telling = Effect.fnUntraced(function*(config: McpConfig["Service"]) {
  const path = yield* Path.Path
  const tell = FileNews.teller((file) => file.startsWith("~") ? file : path.resolve(file))
  yield* Effect.flatMap(config.current, tell)
  return McpConfig.of({ ...config, reload: Effect.tap(config.reload, tell) })
})

const make = Effect.fnUntraced(function*(
  read: (before: Contents) => Effect.Effect<Contents, never, McpConfigNeeds>,
  finish: (configuration: Configuration) => Effect.Effect<Configuration, never, McpConfigNeeds>
) {
  const needs = yield* Effect.context<McpConfigNeeds>()
  const { refresh } = yield* Environment
  const turn = yield* Semaphore.make(1)
  const lookAfter = (before: Contents) => Effect.provideContext(recorded(read(before)), needs)
  let known = yield* lookAfter([])
  const ref = yield* SubscriptionRef.make(yield* finish(ConfigScopes.merge(known.contents)))

  const reload = Effect.gen(function*() {
    yield* refresh
    const look = lookAfter(known.contents)
    const first = yield* look
    const isDoubtful = ConfigScopes.isBadNews(known.contents, first.contents)
    const now = isDoubtful ? yield* Effect.delay(Effect.andThen(refresh, look), SECOND_LOOK) : first
    const contents = ConfigScopes.keepChange(known.contents, now.contents)
    // Kept servers may come from files that this reading did not reach.
    const isKept = contents.some(({ source }) => source?.state === "kept")
    known = { contents, files: isKept ? [...new Set([...now.files, ...known.files])] : now.files }
    const before = yield* SubscriptionRef.get(ref)
    const configuration = yield* finish(ConfigScopes.merge(contents))
    if (ConfigScopes.isSame(before, configuration)) return before
    yield* SubscriptionRef.set(ref, configuration)
    return configuration
  })

  return McpConfig.of({
    current: SubscriptionRef.get(ref),
    changes: SubscriptionRef.changes(ref),
    reload: turn.withPermit(Effect.provideContext(reload, needs)),
    files: Effect.sync(() => known.files)
  })
})

/** Reads, and notes every file that was looked at on the way: whatever decides what is read, none is forgotten. */
const recorded = Effect.fnUntraced(function*(read: Effect.Effect<Contents, never, McpConfigNeeds>) {
  const fs = yield* FileSystem.FileSystem
  const environment = yield* Environment
  const files = new Set<string>(environment.files)
  const recording = FileSystem.FileSystem.of({
    ...fs,
    stat: (path) => {
      files.add(path)
      return fs.stat(path)
    },
    readFileString: (path, encoding) => {
      files.add(path)
      return fs.readFileString(path, encoding)
    }
  })
  const contents = yield* Effect.provideService(read, FileSystem.FileSystem, recording)
  return { contents, files: [...files] }
})
