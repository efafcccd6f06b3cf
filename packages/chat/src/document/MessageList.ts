/**
 * Chats of other programs: an object, or a list of one, with `messages` of `role` and `content`, as chat APIs have them
 * and as Open WebUI exports them.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ChatTurn } from "../Chat.ts"
import type { ChatDocument } from "./ChatDocument.ts"
import { ImportRefused } from "./ImportRefused.ts"
import { plainTurn } from "./PlainTurn.ts"

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

export const read = (json: unknown, now: string): Effect.Effect<ChatDocument, ImportRefused> => {
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
