/** A new chat that begins as another one did, up to one of its turns. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Attachments from "../model/Attachments.ts"
import type { ChatRecord } from "../model/Chat.ts"
import type { ChatStore, ChatStoreFailed, StoredChat } from "../store/ChatStore.ts"
import { settled } from "./ImportedChat.ts"

/**
 * Adds a chat of this id with every turn of another one up to and including `turn`, which have all ended, and with the
 * messages that those took. A turn whose replacement came later counts again. A yes for the other chat holds only where
 * it was said, and so does its write mode.
 */
export const forked = Effect.fnUntraced(function*(
  store: ChatStore["Service"],
  { record, turns }: StoredChat,
  turn: number,
  id: string
): Effect.fn.Return<ChatRecord, ChatStoreFailed> {
  const now = DateTime.formatIso(yield* DateTime.now)
  const upTo = turns.filter((one) => one.turn <= turn)
  const taken = new Set(upTo.flatMap(({ parts }) => parts.flatMap((part) => part.type === "message" ? part.from : [])))
  const kept = settled(turns.filter((one) => one.turn <= turn || taken.has(one.turn))).map((one) => ({
    ...one,
    key: null,
    replacedBy: one.replacedBy !== null && one.replacedBy > turn ? null : one.replacedBy
  }))
  const names = new Set(kept.flatMap(({ attachments }) => attachments.flatMap(Attachments.filesOf)))
  const files = new Map<string, Uint8Array>()
  for (const name of names) {
    const data = yield* store.file(record.id, name)
    if (data !== null) files.set(name, data)
  }
  const { titleUsage: _, ...rest } = record
  const fork: ChatRecord = {
    ...rest,
    id,
    title: `${record.title.replace(/ \(fork\)$/, "")} (fork)`,
    pinned: false,
    write: null,
    createdAt: now,
    updatedAt: now
  }
  yield* store.add({ record: fork, turns: kept, files })
  return fork
})
