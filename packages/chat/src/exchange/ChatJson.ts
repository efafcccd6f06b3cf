/** A chat as JSON: all of it, to be read by this program again. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ChatRecord, ChatTurn } from "../model/Chat.ts"
import type { Part } from "../model/Part.ts"
import * as Usage from "../model/Usage.ts"
import { type ChatDocument, ImportRefused, plainTurn } from "./ImportedChat.ts"

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

/** Turns in order, their parts counted through from 1; one without an end was interrupted. */
const settled = (turns: ReadonlyArray<ChatTurn>): ReadonlyArray<ChatTurn> => {
  const started = turns.filter(({ state }) => state !== "waiting").toSorted((one, other) => one.turn - other.turn)
  const said = started.flatMap((turn) => turn.parts.map((part) => ({ ...part, turn: turn.turn })))
    .toSorted((one, other) => one.seq - other.seq)
    .map((part, index): Part => disarmed({ ...part, seq: index + 1 }))
  const unended = started.filter((turn) => turn.state === "running" && turn.parts.at(-1)?.type !== "finish")
  const ends = unended.map(({ parts, turn }, index): Part => ({
    type: "finish",
    seq: said.length + index + 1,
    turn,
    reason: "interrupted",
    usage: Usage.ofTurn(parts)
  }))
  const parts = Map.groupBy([...said, ...ends], ({ turn }) => turn)
  return started.map((turn) => ({ ...turn, state: "ended", parts: parts.get(turn.turn) ?? [] }))
}

/** A yes counted for the chat where it was said: a file must not bring permissions with it. */
const disarmed = (part: Part): Part => {
  if (part.type === "question-answer" && part.scope === "chat") return { ...part, scope: "once" }
  return part.type === "approval-answer" && (part.decision === "chat" || part.decision === "always")
    ? { ...part, decision: "once" }
    : part
}

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
  const found = decode(json)
  if (found._tag === "None") {
    return new ImportRefused({ why: "it is JSON, but no chat: neither `format` nor `messages` is in it" })
  }
  const first = "length" in found.value ? found.value[0] : found.value
  const { messages, title } = "chat" in first ? first.chat : first
  const spoken = messages.map(({ content, model, role }) => ({ role, model: model ?? "", text: textOf(content) }))
    .filter(({ role, text }) => (role === "user" || role === "assistant") && text !== "")
  if (spoken.length === 0) return new ImportRefused({ why: "nobody says anything in it" })
  return Effect.succeed({
    record: {
      title: title ?? "Imported chat",
      titledBy: title === undefined || title === null ? "none" : "person",
      agent: null,
      model: null,
      createdAt: now,
      updatedAt: now
    },
    turns: turnsOf(spoken, now),
    files: new Map()
  })
}

const decode = Schema.decodeUnknownOption(Known)

const textOf = (content: typeof Content.Type | undefined): string =>
  typeof content === "string"
    ? content
    : (content ?? []).flatMap(({ text, type }) => type === "text" && text !== undefined ? [text] : []).join("\n")

interface Spoken {
  readonly role: string
  readonly text: string
  readonly model: string
}

/** Each message of the user begins one; an answer before any has an empty message. */
const turnsOf = (spoken: ReadonlyArray<Spoken>, now: string): ReadonlyArray<ChatTurn> => {
  const groups: Array<{ text: string; model: string; answers: Array<string> }> = []
  for (const { model, role, text } of spoken) {
    const last = groups.at(-1)
    if (role === "user") groups.push({ text, model: "", answers: [] })
    else if (last === undefined) groups.push({ text: "", model, answers: [text] })
    else {
      last.answers.push(text)
      last.model = model
    }
  }
  let seq = 0
  return groups.map(({ answers, model, text }, index) => {
    const turn = plainTurn({ turn: index + 1, text, agent: "Assistant", model, createdAt: now, answers, seq })
    seq += turn.parts.length
    return turn
  })
}
