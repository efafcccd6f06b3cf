/**
 * The programs that use one SQLite file. Each holds the lock of a file of its own, and the system releases the lock when the
 * program ends, however it ends.
 */
import { ChatWriter } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { randomUUID } from "node:crypto"
import { existsSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { Purpose } from "./DatabasePurpose.ts"

/** Its lock is given back and its file removed when the layer closes. */
export const layer = (folder: string, purpose: Purpose) =>
  Layer.effect(
    ChatWriter,
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
      const fileOf = (id: string) => path.join(folder, `${id}.lock`)
      const id = randomUUID()
      yield* Effect.acquireRelease(
        Effect.try({
          try: () => lock(fileOf(id)),
          catch: (cause) => ({ message: `its lock cannot be taken: ${String(cause)}` })
        }),
        (held) => Effect.sync(() => release(held, fileOf(id)))
      )
      return {
        id,
        isAlive: (other: string) => Effect.sync(() => NAME.test(other) && isLocked(fileOf(other))),
        recovers: purpose === "server"
      }
    })
  )

/** An id comes from the database and becomes the name of a file. */
const NAME = /^[0-9a-f-]{36}$/

const lock = (file: string): DatabaseSync => {
  const held = new DatabaseSync(file, { timeout: 0 })
  held.exec("PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE")
  return held
}

const release = (held: DatabaseSync, file: string) => {
  held.close()
  rmSync(file, { force: true })
}

const isLocked = (file: string): boolean => {
  if (!existsSync(file)) return false
  // oxlint-disable-next-line house/no-try -- SQLite has no other way to say that it is locked
  try {
    release(lock(file), file)
    return false
  } catch {
    return true
  }
}
