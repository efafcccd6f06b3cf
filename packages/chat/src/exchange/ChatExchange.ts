/** Chats as files: out of the store as one text, and back as a chat of its own. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { ChatRecord } from "../model/Chat.ts"
import { UnknownChat } from "../model/ChatError.ts"
import type { ChatStore, ChatStoreFailed } from "../store/ChatStore.ts"
import * as ChatDocument from "./ChatDocument.ts"

/** A chat as one text. */
export interface Exported {
  readonly title: string
  readonly text: string
}

/** All of a chat with its attachments, as it is stored now. */
export const out = Effect.fnUntraced(function*(
  store: ChatStore["Service"],
  id: string,
  format: ChatDocument.Format
): Effect.fn.Return<Exported, UnknownChat | ChatStoreFailed> {
  const { record, turns } = (yield* store.get(id)) ?? (yield* new UnknownChat({ id }))
  const names = new Set(turns.flatMap(({ attachments }) => attachments.map((attachment) => attachment.id)))
  const files = new Map<string, Uint8Array>()
  for (const name of names) {
    const data = yield* store.file(id, name)
    if (data !== null) files.set(name, data)
  }
  return { title: record.title, text: ChatDocument.write({ record, turns, files }, format) }
})

/** A new chat of this id from a text. It is there as a whole or not at all. */
export const into = Effect.fnUntraced(function*(
  store: ChatStore["Service"],
  id: string,
  text: string,
  format: ChatDocument.Format
): Effect.fn.Return<ChatRecord, ChatDocument.ImportRefused | ChatStoreFailed> {
  const now = DateTime.formatIso(yield* DateTime.now)
  const { files, record, turns } = yield* ChatDocument.read(text, format, now)
  const kept: ChatRecord = { ...record, id, updatedAt: now }
  yield* store.add({ record: kept, turns, files })
  return kept
})
