/** Backups over the files of a place: only what says where they are, so that a broken configuration is no hindrance. */
import * as Backup from "@boocode/chat-server/Backup"
import { DataFolder } from "@boocode/chat-server/DataFolder"
import * as EnvironmentFile from "@boocode/chat-server/EnvironmentFile"
import * as Restore from "@boocode/chat-server/Restore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { DataLocation } from "../options/DataLocation.ts"
import { failed } from "../terminal/Failure.ts"

const files = ({ dataDir }: DataLocation) =>
  Layer.provideMerge(EnvironmentFile.layer, DataFolder.layer({ dataDir, configFile: null }))

export const backup = (place: DataLocation, options: Backup.Options) =>
  Backup.write(options).pipe(Effect.provide(files(place)), Effect.mapError(failed))

export const restore = (place: DataLocation, options: Restore.Options) =>
  Restore.run(options).pipe(Effect.provide(files(place)), Effect.mapError(failed))
