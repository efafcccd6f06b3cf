/**
 * The variables of the process together with those of `.env`, beside what `--config` names and in the data folder. The
 * process wins, then what is beside the file with the servers. `workspace` is the folder that servers work in.
 */
import { EnvFile, Environment, WORKSPACE } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { DataFolder } from "./DataFolder.ts"

export const layer = Layer.effect(
  Environment,
  Effect.gen(function*() {
    const { files, refresh, variables } = yield* Environment
    const { configFile, envFile, workspace } = yield* DataFolder
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = path.resolve(workspace)
    const beside = configFile === null ? envFile : path.join(path.dirname(configFile), ".env")
    const sources = [...new Set([envFile, beside])]
    const added = new Map<string, Readonly<Record<string, string>>>()
    const readAll = Effect.forEach(sources, (file) =>
      Effect.map(read(fs, file), (now) => {
        added.set(file, now ?? added.get(file) ?? {})
      }), { discard: true })
    yield* readAll
    return Environment.of({
      get variables() {
        return {
          ...Object.fromEntries(sources.flatMap((file) => Object.entries(added.get(file) ?? {}))),
          ...variables,
          [WORKSPACE]: folder
        }
      },
      files: [...files, ...sources],
      refresh: Effect.andThen(refresh, readAll)
    })
  })
)

/** Null for a file that is there and cannot be read. */
const read = (fs: FileSystem.FileSystem, file: string) =>
  fs.readFileString(file).pipe(
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed("")),
    Effect.map(EnvFile.parse),
    Effect.catch((error) => Effect.as(Effect.logWarning(`${file} cannot be read: ${error.message}`), null))
  )
