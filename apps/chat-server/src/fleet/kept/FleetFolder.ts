/** The files of single servers, for a node: the configuration and the state that all nodes have together. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as EnvironmentFile from "../../settings/EnvironmentFile.ts"
import { SecretTidings } from "../../users/UserSecrets.ts"
import { FleetSettings } from "../FleetSettings.ts"
import { ConfigRows } from "./ConfigRows.ts"
import * as ConfigVersions from "./ConfigVersions.ts"
import { FleetFiles } from "./FleetFiles.ts"
import * as FleetTable from "./FleetTable.ts"
import * as SealedRows from "./SealedRows.ts"
import * as SharedState from "./SharedState.ts"

/** The rows of the configuration, for a node and for commands. */
export const rows = ConfigRows.layer.pipe(Layer.provide(FleetTable.pool), Layer.provide(SealedRows.key))

/** Each node hears its own as well, and makes nothing of it: the values are the same. */
const tidings = Layer.effect(
  SecretTidings,
  Effect.gen(function*() {
    const pg = yield* PgClient.PgClient
    return {
      tell: (user: string) =>
        Effect.catch(
          pg.notify(VALUES, user),
          ({ message }) => Effect.logWarning(`the other nodes are not told of a changed value: ${message}`)
        ),
      heard: Stream.unwrap(Effect.map(pg.listen(VALUES), Stream.fromQueue)).pipe(
        Stream.retry(Schedule.spaced("1 second")),
        Stream.orDie,
        Stream.map(({ payload }) => payload)
      )
    }
  })
)

const VALUES = "boocode_values"

const files = Layer.unwrap(Effect.map(FleetSettings, ({ host, port }) => FleetFiles.layer(`${host}:${port}`)))

/** Before the files are read. */
export const layer = Layer.mergeAll(
  Layer.provide(Layer.merge(files, ConfigVersions.layer), rows),
  SharedState.layer.pipe(Layer.provide(FleetTable.pool), Layer.provide(SealedRows.key)),
  Layer.provide(tidings, FleetTable.pool)
).pipe(
  Layer.provide(FleetSettings.layer),
  Layer.provide(EnvironmentFile.layer)
)

export { fileSystem } from "./FleetFiles.ts"
