/** Where several programs keep state together, in place of files of their own. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** The storage does not answer, or refuses. */
export class StateStorageError extends Data.TaggedError("StateStorageError")<{ readonly message: string }> {}

/** A text as it is kept. */
export interface KeptState {
  readonly text: string
  /** Rises with each change, from 1. */
  readonly version: number
}

/** A text with its name. */
export interface NamedState {
  readonly name: string
  readonly text: string
}

/** Keeps texts by name. */
export interface StateStorage {
  /** Under which name the content of a file is kept; null for one that stays a file. */
  readonly nameOf: (file: string) => string | null
  /** Null when there is none. */
  readonly read: (name: string) => Effect.Effect<KeptState | null, StateStorageError>
  /** Writes in place of the version that was read, 0 for none. False, and nothing is written, when there is another one. */
  readonly write: (name: string, text: string, before: number) => Effect.Effect<boolean, StateStorageError>
  /** The texts whose names begin so, the oldest first. */
  readonly list: (prefix: string) => Effect.Effect<ReadonlyArray<NamedState>, StateStorageError>
  readonly remove: (name: string) => Effect.Effect<void, StateStorageError>
}

/** Null where each program keeps its own files. */
export const StateStorage = Context.Reference<StateStorage | null>("mcp-client/StateStorage", {
  defaultValue: () => null
})
