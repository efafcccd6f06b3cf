/** The versions of the configuration that a fleet keeps. This file loads nothing of a fleet: a server alone has the value null. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** One version of a file. */
export interface ConfigVersion {
  /** In the data folder, such as `agents/reader.md`. */
  readonly name: string
  readonly version: number
  /** Whether the file was removed by this version. */
  readonly removed: boolean
  /** The node or command that wrote it, and the person at whose request. */
  readonly by: string
  /** In ISO 8601. */
  readonly at: string
}

/** The change that restoring a version would make. Secrets are hidden. */
export interface ComparedVersion {
  /** The number of the newest version. */
  readonly newest: number
  /** The newest version, and the one that is wanted; null where the file is not there. */
  readonly before: string | null
  readonly after: string | null
  /** Whether nothing differs, hidden or not. */
  readonly same: boolean
}

/** A version cannot be had, or not be restored. `changed`: another node was first. */
export class ConfigHistoryTrouble extends Data.TaggedError("ConfigHistoryTrouble")<{
  readonly kind: "unknown" | "changed" | "database"
  readonly message: string
  readonly hint: string
}> {}

/** The name of the person whose request changes a file; null where nobody in particular does. */
export const Author = Context.Reference<string | null>("chat-server/Author", { defaultValue: () => null })

export class ConfigHistory extends Context.Reference<
  {
    /** Those of all files, the newest first; 50 of each file at most. */
    readonly versions: Effect.Effect<ReadonlyArray<ConfigVersion>, ConfigHistoryTrouble>
    readonly compared: (name: string, version: number) => Effect.Effect<ComparedVersion, ConfigHistoryTrouble>
    /**
     * Makes a version the newest one, if that is still `newest`; the nodes take it over. Gives the number that it has then.
     */
    readonly restore: (name: string, version: number, newest: number) => Effect.Effect<number, ConfigHistoryTrouble>
  } | null
>("chat-server/ConfigHistory", { defaultValue: () => null }) {}
