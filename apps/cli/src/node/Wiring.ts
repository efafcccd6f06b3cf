/** The layers behind the verbs about servers: the parts of chat-server, over the files of a person at a terminal. */
import * as DataFolder from "@boocode/chat-server/DataFolder"
import { EntryTrial } from "@boocode/chat-server/EntryTrial"
import * as Foundation from "@boocode/chat-server/Foundation"
import * as Installation from "@boocode/chat-server/Installation"
import { PublicRegistry } from "@boocode/chat-server/published/PublicRegistry"
import { Environment, McpConfig } from "@boocode/mcp-config"
import { ForcedShutdown } from "@boocode/mcp-node"
import { ServerRequests } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogLevel } from "effect/LogLevel"
import * as Path from "effect/Path"
import * as References from "effect/References"
import { currentFolder, type DataLocation } from "../options/DataLocation.ts"
import { type Failed, failed } from "../terminal/Failure.ts"
import type { Interrupts } from "../terminal/Keyboard.ts"

export type Variables = Readonly<Record<string, string | undefined>>

/** The data folder and what Node brings. One layer for each place, which everything above shares. */
export const ground = (
  { configFile, dataDir }: DataLocation,
  variables: Variables,
  interrupts: typeof Interrupts.Service
) =>
  ForcedShutdown.layer(interrupts.second).pipe(
    Layer.provideMerge(Foundation.node),
    Layer.provideMerge(Foundation.layer({ configFile, dataDir, logLevel: null, variables }))
  )

export type Ground = ReturnType<typeof ground>

export const config = (place: DataLocation, ground: Ground) =>
  Layer.unwrap(Effect.map(scopes(place), (found) => McpConfig.layerScopes(found, { isTold: false }))).pipe(
    Layer.provide(ground),
    orFailed
  )

/** The files that may hold servers, and the variables their entries see. */
export const files = (place: DataLocation, ground: Ground) =>
  Effect.all({ scopes: scopes(place), environment: Environment, folder: DataFolder.DataFolder }).pipe(
    Effect.map((found) => ({
      ...found,
      envFile: found.folder.envFile,
      searchAfterPath: Installation.commands
    })),
    Effect.provide(ground),
    Effect.mapError((error) => failed(error))
  )

/** Only the file of `--config`, or the data, project and user files (docs/configuration.md). */
const scopes = Effect.fnUntraced(function*(place: DataLocation) {
  const path = yield* Path.Path
  const { configFile, dataFile } = yield* DataFolder.DataFolder
  const { variables } = yield* Environment
  const folder = yield* currentFolder
  const near = (file: string) => shortName(path, folder, file)
  return {
    dataFile: near(configFile ?? dataFile),
    dataFileIsNamed: place.isNamed,
    projectFrom: configFile === null ? folder : null,
    home: configFile === null ? variables["HOME"] ?? variables["USERPROFILE"] ?? null : null
  }
})

/** The rules of permissions. */
export const permissions = (ground: Ground) => Foundation.permissions.pipe(Layer.provide(ground), orFailed)

/** A file below the current folder has a relative name. */
const shortName = (path: Path.Path, folder: string, file: string): string => {
  const near = path.relative("", file)
  return folder !== path.resolve("") || near.startsWith("..") || path.isAbsolute(near) ? file : near
}

export const servers = (log: LogLevel | null, started: typeof Foundation.registry = Foundation.registry) =>
  Layer.mergeAll(
    log === null ? started : loggingAt(started, log),
    Foundation.agents,
    Foundation.tools
  ).pipe(Layer.provideMerge(Foundation.resultFiles))

const loggingAt = <A, E, R>(layer: Layer.Layer<A, E, R>, level: LogLevel): Layer.Layer<A, E, R> =>
  Layer.provide(layer, Layer.succeed(References.MinimumLogLevel, level))

/** The registry that servers are installed from, and what starts one to see whether it works. */
export const published = (ground: Ground, registry: string | null) =>
  Layer.merge(PublicRegistry.layer(registry), EntryTrial.layer(Installation.commands)).pipe(
    Layer.provide(Foundation.credentials),
    Layer.provide(ground),
    orFailed
  )

export const trust = (ground: Ground) => Foundation.trust.pipe(Layer.provide(ground), orFailed)

export const registry = (ground: Ground, log: LogLevel | null, isTrial = false) =>
  servers(log, isTrial ? Foundation.trial : Foundation.registry).pipe(
    Layer.provide(rooted),
    Layer.provideMerge(Foundation.permissions),
    Layer.provideMerge(ground),
    orFailed
  )

/** Servers get the workspace as their root; other requests keep their answers. */
const rooted = Layer.effect(
  ServerRequests,
  Effect.gen(function*() {
    return { ...yield* ServerRequests, roots: yield* DataFolder.roots }
  })
)

export function orFailed<A, E extends Parameters<typeof failed>[0], R>(
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, Failed, R> {
  return Layer.catch(layer, (error): Layer.Layer<A, Failed> => Layer.effectContext(Effect.fail(failed(error))))
}
