/** Backups that say what they were asked for, and write nothing. */
import * as Effect from "effect/Effect"
import type { Backend } from "../../src/backend/Backend.ts"

export const backups = (log: Array<string>): Pick<typeof Backend.Service, "backup" | "restore"> => ({
  backup: (_, { passphrase, ...options }) =>
    Effect.as(
      Effect.sync(() => log.push(`backup ${JSON.stringify({ ...options, sealed: passphrase !== null })}`)),
      { file: options.file, bytes: 10, files: 2, kinds: ["chats"] as const, skipped: [] }
    ),
  restore: (_, { archive, confirm, passphrase }) =>
    Effect.gen(function*() {
      const found = { createdAt: "2026-01-01T00:00:00.000Z", kinds: ["chats"] as const, files: 2, folder: "/data" }
      log.push(`restore ${archive}, ${(yield* passphrase) === null ? "open" : "sealed"}`)
      return (yield* confirm(found)) ? { ...found, kept: ["/state/before-restore/now"] } : null
    })
})
