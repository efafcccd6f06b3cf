/** A chat that goes on with a conversation of another program. */
import * as Effect from "effect/Effect"
import * as Attachments from "../model/Attachments.ts"
import type { ChatWrite, NewAttachment } from "../model/Chat.ts"
import type { AttachmentRefused } from "../model/ChatError.ts"
import type { NewChat } from "../store/ChatStore.ts"
import { plainTurn } from "./ImportedChat.ts"

/** One message of the conversation. */
export interface SaidMessage {
  readonly role: "user" | "assistant"
  readonly text: string
  /** The attachments of a message of the user. */
  readonly attachments: ReadonlyArray<NewAttachment>
}

/** The conversation so far, and what the chat is called. */
export interface BegunChat {
  /** No model gives the chat another title. */
  readonly title: string
  /** Null for none. */
  readonly folder: string | null
  /** The instructions that the other program adds to the prompt of each agent of the chat; null for none. */
  readonly instructions: string | null
  /** The write mode of the chat; null for none of its own. */
  readonly write: ChatWrite | null
  /** In order; may be empty. */
  readonly said: ReadonlyArray<SaidMessage>
}

/** The turns of such a conversation: each message of the user begins one. Fails with the first file that no chat takes. */
export const turnsOf = Effect.fnUntraced(function*(
  said: ReadonlyArray<SaidMessage>,
  createdAt: string
): Effect.fn.Return<Pick<NewChat, "turns" | "files">, AttachmentRefused> {
  const groups: Array<{ readonly question: SaidMessage; readonly answers: Array<string> }> = []
  for (const message of said) {
    const last = groups.at(-1)
    if (message.role === "user") groups.push({ question: message, answers: [] })
    else if (last === undefined) groups.push({ question: NOBODY, answers: [message.text] })
    else last.answers.push(message.text)
  }
  const files = new Map<string, Uint8Array>()
  let seq = 0
  const turns = yield* Effect.forEach(
    groups,
    ({ answers, question: { attachments, text } }, index) =>
      Effect.map(Attachments.examined(attachments), (examined) => {
        const turn = plainTurn({ turn: index + 1, text, agent: "", model: "", createdAt, answers, seq })
        seq += turn.parts.length
        return { ...turn, attachments: examined.map((one, at) => kept(files, one, Attachments.idOf(turn.turn, at))) }
      })
  )
  return { turns, files }
})

const NOBODY: SaidMessage = { role: "user", text: "", attachments: [] }

const kept = (files: Map<string, Uint8Array>, { attachment, data, text }: Attachments.ExaminedFile, id: string) => {
  files.set(id, data)
  if (text !== null) files.set(Attachments.textIdOf(id), new TextEncoder().encode(text))
  return { ...attachment, id }
}
