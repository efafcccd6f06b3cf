/** A chat as JSON: all of it, to be read by this program again. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ChatTurn, KeptRecord } from "../model/Chat.ts"
import * as ForeignChat from "./ForeignChat.ts"
import { type ChatDocument, ImportRefused, settled } from "./ImportedChat.ts"
import * as MessageList from "./MessageList.ts"

const FORMAT = "boocode-chat"
const VERSION = 1

const { id: _, owner: __, ...known } = KeptRecord.fields

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
  if (head._tag === "None") return yield* readMessageList(json, now)
  if (head.value.version > VERSION) return yield* new ImportRefused({ why: "a newer BooCode exported it" })
  const { chat, files } = yield* decodeDocument(json).pipe(
    Effect.mapError(({ message }) => new ImportRefused({ why: `it is damaged: ${message}` }))
  )
  const { turns, ...record } = chat
  const document: ChatDocument = {
    record,
    turns: settled(turns),
    files: new Map(files.map(({ data, id }) => [id, data]))
  }
  return document
})

const decodeJson = Schema.decodeEffect(Schema.fromJsonString(Schema.Json))
const decodeHead = Schema.decodeUnknownOption(Schema.Struct({ format: Schema.Literal(FORMAT), version: Schema.Int }))
const decodeDocument = Schema.decodeUnknownEffect(Document)

const Content = Schema.Union([
  Schema.String,
  Schema.Null,
  Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optionalKey(Schema.String) }))
])

const Messages = Schema.Struct({
  title: Schema.optionalKey(Schema.NullOr(Schema.String)),
  messages: Schema.Array(Schema.Struct({
    role: Schema.String,
    content: Schema.optionalKey(Content),
    model: Schema.optionalKey(Schema.NullOr(Schema.String))
  }))
})

const Nested = Schema.Struct({ chat: Messages })
const Known = Schema.Union([Messages, Nested, Schema.Tuple([Messages]), Schema.Tuple([Nested])])

const readMessageList = (json: unknown, now: string): Effect.Effect<ChatDocument, ImportRefused> => {
  const foreign = ForeignChat.read(json)
  if (foreign !== null) return MessageList.toDocument(foreign, now)
  const found = decode(json)
  if (found._tag === "None") {
    return new ImportRefused({ why: "it is JSON, but no chat: neither `format` nor `messages` is in it" })
  }
  const first = "length" in found.value ? found.value[0] : found.value
  const { messages, title } = "chat" in first ? first.chat : first
  const spoken = messages.flatMap(({ content, model, role }) =>
    role === "user" || role === "assistant"
      ? [{
        role: role === "user" ? "user" as const : "assistant" as const,
        model: model ?? "",
        text: textOf(content),
        time: null
      }]
      : []
  )
  return MessageList.toDocument({ id: null, title: title ?? null, createdAt: now, updatedAt: now, spoken }, now)
}

const decode = Schema.decodeUnknownOption(Known)

const textOf = (content: typeof Content.Type | undefined): string =>
  typeof content === "string"
    ? content
    : (content ?? []).flatMap(({ text, type }) => type === "text" && text !== undefined ? [text] : []).join("\n")
