/** A chat as a file: JSON keeps all of it, Markdown is for people. */
import { KeyShape } from "@boocode/language-models"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Attachments from "../model/Attachments.ts"
import type { ChatRecord } from "../model/Chat.ts"
import { UnknownChat } from "../model/ChatError.ts"
import type { ChatStore, ChatStoreFailed, NewChat } from "../store/ChatStore.ts"
import { FIRST } from "../users/CurrentUser.ts"
import * as ChatJson from "./ChatJson.ts"
import * as ChatMarkdown from "./ChatMarkdown.ts"
import { type ChatDocument, ImportRefused, settled } from "./ImportedChat.ts"

export { type ChatDocument, ImportRefused } from "./ImportedChat.ts"

/** The formats of an exported chat. */
export type Format = "json" | "markdown"

/** A longer text is refused. */
export const LIMIT_CHARACTERS = 150_000_000

/** All of a chat as one text. Reading JSON gives the same chat again, if nothing in it runs or waits. */
export const write = (document: ChatDocument, format: Format): string =>
  format === "json" ? ChatJson.write(document) : ChatMarkdown.write(document)

/**
 * The chat in a text. Turns that ran or waited in it have ended, and no approval comes with it. Markdown gives messages
 * and answers only. `now` stands in for times that the file does not tell. A text with a key in the place of a model's name
 * is refused, as everywhere where models are named.
 */
export const read = Effect.fnUntraced(function*(
  text: string,
  format: Format,
  now: string
): Effect.fn.Return<ChatDocument, ImportRefused> {
  if (text.length > LIMIT_CHARACTERS) return yield* new ImportRefused({ why: "it is larger than 150 MB" })
  const document = yield* format === "json" ? ChatJson.read(text, now) : ChatMarkdown.readMarkdown(text, now)
  const models = [document.record.model ?? "", ...document.turns.map(({ model }) => model)]
  if (!models.some(KeyShape.isLikeKey)) return document
  return yield* new ImportRefused({
    why: "what stands there as the name of a model looks like a key, so take it out of the file"
  })
})

/** A chat as one text. */
export interface Exported {
  readonly title: string
  readonly text: string
}

/** A chat with its attachments, as it is stored now; null when there is none. Turns that run or wait in it count as ended. */
export const whole = Effect.fnUntraced(function*(
  store: ChatStore["Service"],
  id: string
): Effect.fn.Return<NewChat | null, ChatStoreFailed> {
  const found = yield* store.get(id)
  if (found === null) return null
  const files = new Map<string, Uint8Array>()
  for (const name of new Set(found.turns.flatMap(({ attachments }) => attachments.flatMap(Attachments.filesOf)))) {
    const data = yield* store.file(id, name)
    if (data !== null) files.set(name, data)
  }
  return { record: found.record, turns: settled(found.turns), files }
})

/** All of a chat with its attachments, as it is stored now. */
export const exported = Effect.fnUntraced(function*(
  store: ChatStore["Service"],
  id: string,
  format: Format
): Effect.fn.Return<Exported, UnknownChat | ChatStoreFailed> {
  const chat = (yield* whole(store, id)) ?? (yield* new UnknownChat({ id }))
  return { title: chat.record.title, text: write(chat, format) }
})

/**
 * A new chat of this id and owner from a text. It is there as a whole or not at all. A chat with an id of its own, which is there
 * already, stays as it is.
 */
export const imported = Effect.fnUntraced(function*(
  store: ChatStore["Service"],
  { id, owner }: Pick<ChatRecord, "id" | "owner">,
  text: string,
  format: Format
): Effect.fn.Return<ChatRecord, ImportRefused | ChatStoreFailed> {
  const now = DateTime.formatIso(yield* DateTime.now)
  const { files, id: source, record: { instructions: _, ...record }, turns } = yield* read(text, format, now)
  // Somebody else may have brought the same conversation.
  const named = source === undefined || owner === FIRST.id ? source : `${source}-${owner}`
  const present = named === undefined ? null : yield* store.head(named)
  if (present?.record.owner === owner) return present.record
  const own = present === null ? named : undefined
  // A file must bring neither permissions with it, nor words for models that a reader of the chat does not see.
  const kept: ChatRecord = {
    ...record,
    id: own ?? id,
    owner,
    write: null,
    updatedAt: own === undefined ? now : record.updatedAt
  }
  yield* store.add({ record: kept, turns, files })
  return kept
})
