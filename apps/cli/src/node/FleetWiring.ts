/** The configuration of a fleet, by the database that the variables name. */
import { DataFolder } from "@boocode/chat-server/DataFolder"
import * as ConfigExchange from "@boocode/chat-server/fleet/ConfigExchange"
import { ConfigRows } from "@boocode/chat-server/fleet/ConfigRows"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { DataLocation } from "../options/DataLocation.ts"
import { failed } from "../terminal/Failure.ts"

/** The variables are those of the place, also where another folder is written to. */
const over = ({ dataDir }: DataLocation) =>
  Layer.provideMerge(ConfigExchange.rows, DataFolder.layer({ dataDir, configFile: null }))

export const imported = (place: DataLocation) =>
  ConfigExchange.imported.pipe(Effect.provide(over(place)), Effect.mapError(failed))

export const exported = (place: DataLocation, folder: string) =>
  ConfigExchange.exported.pipe(
    Effect.provide(Layer.provideMerge(DataFolder.layer({ dataDir: folder, configFile: null }), over(place))),
    Effect.mapError(failed)
  )

export const restored = (place: DataLocation, file: string, version: number) =>
  ConfigExchange.restored(file, version).pipe(Effect.provide(over(place)), Effect.mapError(failed))

export const history = (place: DataLocation, file: string | null) =>
  Effect.flatMap(ConfigRows, (rows) => rows.history(file)).pipe(
    Effect.provide(over(place)),
    Effect.mapError(failed)
  )
