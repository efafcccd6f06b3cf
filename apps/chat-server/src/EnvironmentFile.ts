/**
 * The variables of the process together with those of `.env` in the data folder; the process wins.
 */
import { EnvFile, Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { DataFolder } from "./DataFolder.ts"

export const layer = Layer.effect(
  Environment,
  Effect.gen(function*() {
    const { variables } = yield* Environment
    const { envFile } = yield* DataFolder
    const fs = yield* FileSystem.FileSystem
    const text = yield* fs.readFileString(envFile).pipe(
      Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed("")),
      Effect.catch((error) => Effect.as(Effect.logWarning(`${envFile} cannot be read: ${error.message}`), ""))
    )
    return Environment.of({ variables: { ...EnvFile.parse(text), ...variables } })
  })
)
