/** The tools that clients were listed last, for clients that list once: those of a server that connects late are not lost to them. */
import * as StateFile from "@boocode/mcp-client/StateFile"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A tool as it was listed. */
export const KeptTool = Schema.Struct({ server: Schema.String, definition: Schema.JsonObject })

/**
 * A tool as it was listed.
 *
 * @category model
 */
export type KeptTool = typeof KeptTool.Type

/**
 * Lists by the kind of client that they were made for.
 *
 * @category models
 */
export interface KeptLists {
  /** The last list of this kind of client; empty where there is none. Never fails. */
  readonly recall: (kind: string) => Effect.Effect<ReadonlyArray<KeptTool>>
  /** Keeps a list. Never fails: what cannot be kept is missing the next time. */
  readonly remember: (kind: string, tools: ReadonlyArray<KeptTool>) => Effect.Effect<void>
}

/**
 * Keeps them as long as the program runs.
 *
 * @category constructors
 */
export const inMemory = (): KeptLists => {
  const lists = new Map<string, ReadonlyArray<KeptTool>>()
  return {
    recall: (kind) => Effect.sync(() => lists.get(kind) ?? []),
    remember: (kind, tools) => Effect.sync(() => void lists.set(kind, tools))
  }
}

const Lists = Schema.Record(Schema.String, Schema.Array(KeptTool))

/** The kinds of clients whose lists a file has; the oldest goes. */
const MOST_KINDS = 20

/**
 * Keeps them in this file, which its owner alone can read.
 *
 * @category constructors
 */
export const inFile = Effect.fnUntraced(function*(
  file: string
): Effect.fn.Return<KeptLists, never, FileSystem.FileSystem | Path.Path> {
  const state = yield* StateFile.make(file, Lists)
  return {
    recall: (kind) => Effect.map(state.read, (content) => Result.getOrElse(content, () => null)?.[kind] ?? []),
    remember: (kind, tools) =>
      state.change((content) => {
        const { [kind]: _, ...others } = Result.getOrElse(content, () => null) ?? {}
        return { ...Object.fromEntries(Object.entries(others).slice(-MOST_KINDS + 1)), [kind]: tools }
      }).pipe(Effect.catch(({ message }) => Effect.logWarning(`the list of tools is not kept: ${message}`)))
  }
})
