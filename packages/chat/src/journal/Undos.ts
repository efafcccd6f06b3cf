/** The writes of chats, and undoing them. */
import { McpRegistries, type McpRegistry } from "@boocode/mcp-registry"
import type { AgentTool } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { UnknownChat } from "../model/ChatError.ts"
import type { Part } from "../model/Part.ts"
import { ChatStore, type ChatStoreFailed } from "../store/ChatStore.ts"
import { NothingToUndo, type UndoError } from "../store/UndoError.ts"
import { UndoStore } from "../store/UndoStore.ts"
import { CurrentUser } from "../users/CurrentUser.ts"
import type { WorkspaceWrites } from "../workspace/WorkspaceWrites.ts"
import * as MadeFiles from "./MadeFiles.ts"
import * as ServerTarget from "./ServerTarget.ts"
import * as Undo from "./Undo.ts"
import type { Entry } from "./WriteJournal.ts"

/** A write of a chat, as far as it can be undone now. */
export interface JournaledWrite extends Omit<Entry, "type" | "undo"> {
  /** Which turn made it. */
  readonly turn: number
  readonly undo: {
    readonly possible: boolean
    /** When it was undone, in ISO 8601; null when it was not. */
    readonly undoneAt: string | null
    /** Why it cannot be undone; null when it can. */
    readonly why: string | null
  }
}

/** Undoing writes of chats. Without a layer nothing is kept, and nothing can be undone. */
export class Undos extends Context.Reference<{
  /** The tools, of which those of servers with a target keep what their calls replace, as `ServerTarget.targeted` says. */
  readonly keeping: (
    tools: ReadonlyArray<AgentTool>,
    registry: McpRegistry["Service"]
  ) => ReadonlyArray<AgentTool>
  /** The writes of a chat of the person, the newest first. */
  readonly list: (
    chat: string
  ) => Effect.Effect<ReadonlyArray<JournaledWrite>, UnknownChat | ChatStoreFailed, CurrentUser>
  /**
   * Undoes the write that has this id, else the last one of the call that has it. Gives what was done, in words for a
   * person. Fails, and changes nothing, where something else changed it since.
   */
  readonly undo: (
    chat: string,
    id: string
  ) => Effect.Effect<string, UndoError | UnknownChat | ChatStoreFailed, CurrentUser>
  /** Forgets what the writes of somebody who is gone replaced in their folder of the workspace. */
  readonly forget: (owner: string) => Effect.Effect<void>
}>("chat/Undos", {
  defaultValue: () => ({
    keeping: (tools) => tools,
    list: () => Effect.succeed([]),
    undo: (_, id) => new NothingToUndo({ id, why: "this program keeps nothing" }),
    forget: () => Effect.void
  })
}) {
  /** Undoes by what the stores have, and by the tools of the servers. */
  static readonly layer: Layer.Layer<
    never,
    never,
    ChatStore | FileSystem.FileSystem | McpRegistries | Path.Path | UndoStore | WorkspaceWrites
  > = Layer.effect(Undos, Effect.suspend(() => make))
}

const make = Effect.gen(function*() {
  const store = yield* ChatStore
  const kept = yield* UndoStore
  const registries = yield* McpRegistries
  const made = yield* MadeFiles.make
  const services = yield* Effect.context<FileSystem.FileSystem | Path.Path | UndoStore | WorkspaceWrites>()

  const partsOf = Effect.fnUntraced(
    function*(chat: string): Effect.fn.Return<ReadonlyArray<Part>, UnknownChat | ChatStoreFailed, CurrentUser> {
      const user = yield* CurrentUser
      const stored = (yield* store.owner(chat)) === user.id ? yield* store.get(chat) : null
      if (stored === null) return yield* new UnknownChat({ id: chat })
      return stored.turns.flatMap(({ parts }) => parts)
    }
  )

  const stateOf = (undo: Entry["undo"]): Effect.Effect<JournaledWrite["undo"]> => {
    if (undo === null || undo.id === null) {
      return Effect.succeed({ possible: false, undoneAt: null, why: undo?.why ?? Undo.NOTHING_KEPT })
    }
    return Effect.match(kept.undoneAt(undo.id), {
      onFailure: ({ why }) => ({ possible: false, undoneAt: null, why }),
      onSuccess: (undoneAt) => ({
        possible: undoneAt === null,
        undoneAt,
        why: undoneAt === null ? null : "it was undone"
      })
    })
  }

  return {
    keeping: (tools: ReadonlyArray<AgentTool>, registry: McpRegistry["Service"]) => {
      const reads = ServerTarget.callsOf(registry, false)
      return tools.map((tool) => {
        const target = tool.listed?.target ?? null
        return tool.server === null || target === null
          ? tool
          : ServerTarget.targeted(tool, target, { call: reads(tool.server), store: kept, made })
      })
    },
    list: Effect.fn("Undos.list")(function*(chat: string) {
      const writes = (yield* partsOf(chat)).filter((part) => part.type === "write")
      return yield* Effect.forEach(
        writes.toReversed(),
        ({ seq: _, type: __, undo, ...write }) => Effect.map(stateOf(undo), (undo) => ({ ...write, undo }))
      )
    }),
    undo: Effect.fn("Undos.undo")(function*(chat: string, id: string) {
      const found = yield* Undo.idOf(yield* partsOf(chat), id)
      const { id: person } = yield* CurrentUser
      return yield* Effect.scoped(Effect.flatMap(
        registries.of(person),
        (registry) => Effect.provideContext(Undo.undo(found, ServerTarget.callsOf(registry), person), services)
      ))
    }),
    forget: kept.forget
  }
})
