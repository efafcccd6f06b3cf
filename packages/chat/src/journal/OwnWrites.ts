/** A trace of what persons, their scripts and their other programs write by calls that belong to no chat. */
import type { ToolResult } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { CurrentUser, FIRST } from "../users/CurrentUser.ts"
import * as WriteJournal from "./WriteJournal.ts"

/** One call of a tool that writes, which is over. */
export type OwnWrite = Omit<WriteJournal.Written, "call" | "exit" | "id" | "undo"> & {
  readonly exit: Exit.Exit<
    Pick<ToolResult.ToolResult, "isError"> & Partial<Pick<ToolResult.ToolResult, "fault">>,
    unknown
  >
  /** The program that called for a person; null for the person. */
  readonly client?: string | null
}

/** Notes such calls. Without a layer nothing is noted. */
export class OwnWrites extends Context.Reference<{
  /** Notes a write of the person. Never fails: what cannot be noted is told in the log. */
  readonly note: (write: OwnWrite) => Effect.Effect<void, never, CurrentUser>
}>("chat/OwnWrites", { defaultValue: () => ({ note: () => Effect.void }) }) {
  /**
   * Appends a line of JSON for each call to this file, which its owner alone can read. At 5 MB the file becomes `FILE.1`
   * in the place of the one before.
   */
  static readonly layerFile = (file: string): Layer.Layer<never, never, FileSystem.FileSystem> =>
    Layer.effect(OwnWrites, make(file))
}

const MOST_BYTES = 5_000_000

const make = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const turn = yield* Semaphore.make(1)
  const size = fs.stat(file).pipe(
    Effect.map(({ size }) => size),
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(0n))
  )
  const append = Effect.fnUntraced(
    function*(line: string) {
      if ((yield* size) > BigInt(MOST_BYTES)) yield* fs.rename(file, `${file}.1`)
      yield* fs.writeFileString(file, line, { flag: "a", mode: 0o600 })
    },
    Effect.catch((error) => Effect.logWarning(`a person's own write could not be noted in ${file}: ${error.message}`)),
    turn.withPermit
  )
  return {
    note: Effect.fnUntraced(function*({ args, client = null, exit, permission, tool }: OwnWrite) {
      const user = yield* CurrentUser
      const line = {
        at: DateTime.formatIso(yield* DateTime.now),
        name: tool.name,
        server: tool.server,
        class: tool.class ?? "undeclared",
        args,
        outcome: WriteJournal.outcomeOf(exit),
        allowedBy: permission.by,
        source: permission.source,
        ...client === null ? {} : { client },
        ...user.id === FIRST.id ? {} : { user: user.id }
      }
      yield* append(`${JSON.stringify(line)}\n`)
    })
  }
})
