/** What single servers keep in files, for a node: the configuration and the state that all nodes have together. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Postgres from "../database/Postgres.ts"
import * as EnvironmentFile from "../settings/EnvironmentFile.ts"
import { SecretKey } from "../users/SecretKey.ts"
import { ConfigRows } from "./ConfigRows.ts"
import { FleetFiles } from "./FleetFiles.ts"
import { FleetSettings } from "./FleetSettings.ts"
import * as SharedState from "./SharedState.ts"

const sealing = Layer.unwrap(Effect.map(FleetSettings, ({ seal }) => SecretKey.layerOf(Redacted.value(seal))))

const pool = Layer.unwrap(Effect.map(FleetSettings, ({ database }) => Postgres.layerPool(database)))

/** The rows of the configuration, for a node and for commands. */
export const rows = ConfigRows.layer.pipe(Layer.provide(pool), Layer.provide(sealing))

const files = Layer.unwrap(Effect.map(FleetSettings, ({ host, port }) => FleetFiles.layer(`${host}:${port}`)))

/** Before the files are read. */
export const layer = Layer.merge(
  Layer.provide(files, rows),
  SharedState.layer.pipe(Layer.provide(pool), Layer.provide(sealing))
).pipe(
  Layer.provide(FleetSettings.layer),
  Layer.provide(EnvironmentFile.layer)
)

export { fileSystem } from "./FleetFiles.ts"
