/**
 * A chat as JSON: all of it, to be read by this program again.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ChatRecord, ChatTurn } from "../Chat.ts"
import type { ChatDocument } from "./ChatDocument.ts"
import * as Imported from "./Imported.ts"
import { ImportRefused } from "./ImportRefused.ts"
import * as MessageList from "./MessageList.ts"

const FORMAT = "boocode-chat"
const VERSION = 1

const { id: _, ...known } = ChatRecord.fields

const Document = Schema.Struct({
  format: Schema.Literal(FORMAT),
  version: Schema.Literal(VERSION),
  chat: Schema.Struct({ ...known, turns: Schema.Array(ChatTurn) }),
  files: Schema.Array(Schema.Struct({ id: Schema.String, data: Schema.Uint8ArrayFromBase64 }))
})

const Text = Schema.fromJsonString(Document)

export const write = ({ files, record, turns }: ChatDocument): string =>
  Schema.encodeSync(Text)({
    format: FORMAT,
    version: VERSION,
    chat: { ...record, turns },
    files: [...files].map(([id, data]) => ({ id, data }))
  })

export const read = Effect.fnUntraced(function*(text: string, now: string) {
  const json = yield* decodeJson(text).pipe(Effect.mapError(() => new ImportRefused({ why: "it is not JSON" })))
  const head = decodeHead(json)
  if (head._tag === "None") return yield* MessageList.read(json, now)
  if (head.value.version > VERSION) return yield* new ImportRefused({ why: "a newer BooCode exported it" })
  const { chat, files } = yield* decodeDocument(json).pipe(
    Effect.mapError(({ message }) => new ImportRefused({ why: `it is damaged: ${message}` }))
  )
  const { turns, ...record } = chat
  const document: ChatDocument = {
    record,
    turns: Imported.settled(turns),
    files: new Map(files.map(({ data, id }) => [id, data]))
  }
  return document
})

const decodeJson = Schema.decodeEffect(Schema.fromJsonString(Schema.Json))
const decodeHead = Schema.decodeUnknownOption(Schema.Struct({ format: Schema.Literal(FORMAT), version: Schema.Int }))
const decodeDocument = Schema.decodeUnknownEffect(Document)
