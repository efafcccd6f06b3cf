/** A chat from a list of messages: what other programs tell of theirs. */
import * as Effect from "effect/Effect"
import { type ChatTurn, UNCHOSEN } from "../model/Chat.ts"
import { type ChatDocument, ImportRefused, plainTurn } from "./ImportedChat.ts"

export interface Spoken {
  readonly role: "user" | "assistant"
  readonly text: string
  /** Empty where it is not told. */
  readonly model: string
  /** ISO; null where it is not told. */
  readonly time: string | null
}

export interface Listed {
  /** An id that is equal for the same chat, however often it is read; null where the chat has none. */
  readonly id: string | null
  readonly title: string | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly spoken: ReadonlyArray<Spoken>
}

/** Messages without text are left out. */
export const toDocument = (listed: Listed, now: string): Effect.Effect<ChatDocument, ImportRefused> => {
  const spoken = listed.spoken.filter(({ text }) => text.trim() !== "")
  if (spoken.length === 0) return new ImportRefused({ why: "nobody says anything in it" })
  const createdAt = listed.createdAt ?? spoken[0]?.time ?? now
  return Effect.succeed({
    ...(listed.id === null ? {} : { id: listed.id }),
    record: {
      title: listed.title ?? "Imported chat",
      titledBy: listed.title === null ? "none" : "person",
      agent: null,
      model: null,
      ...UNCHOSEN,
      createdAt,
      updatedAt: listed.updatedAt ?? spoken.at(-1)?.time ?? createdAt
    },
    turns: turnsOf(spoken, createdAt),
    files: new Map()
  })
}

/** Each message of the user begins one; an answer before any has an empty message. */
const turnsOf = (spoken: ReadonlyArray<Spoken>, createdAt: string): ReadonlyArray<ChatTurn> => {
  const groups: Array<{ text: string; model: string; time: string; answers: Array<string> }> = []
  for (const { model, role, text, time } of spoken) {
    const last = groups.at(-1)
    if (role === "user") groups.push({ text, model: "", time: time ?? createdAt, answers: [] })
    else if (last === undefined) groups.push({ text: "", model, time: time ?? createdAt, answers: [text] })
    else {
      last.answers.push(text)
      if (model !== "") last.model = model
    }
  }
  let seq = 0
  return groups.map(({ answers, model, text, time }, index) => {
    const turn = plainTurn({ turn: index + 1, text, agent: "Assistant", model, createdAt: time, answers, seq })
    seq += turn.parts.length
    return turn
  })
}
