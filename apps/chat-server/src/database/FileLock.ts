/** Locks that the system gives back when their holder ends, however it ends: SQLite's lock of a file of its own. */
import { existsSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

/** Throws where somebody else holds it, or the file cannot be made. */
export const take = (file: string): DatabaseSync => {
  const held = new DatabaseSync(file, { timeout: 0 })
  held.exec("PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE")
  return held
}

/** Gives it back and removes the file. */
export const release = (held: DatabaseSync, file: string) => {
  held.close()
  rmSync(file, { force: true })
}

export const isTaken = (file: string): boolean => {
  if (!existsSync(file)) return false
  // oxlint-disable-next-line house/no-try -- SQLite has no other way to say that it is locked
  try {
    release(take(file), file)
    return false
  } catch {
    return true
  }
}
