/** A chat as it stands in a file, and why a file does not become a chat. */
import * as Schema from "effect/Schema"
import type { ChatRecord, ChatTurn } from "../model/Chat.ts"
import { NO_USAGE, type TurnPart } from "../model/Part.ts"

/** A chat without its id: an import gets a new one. */
export interface ChatDocument {
  readonly record: Omit<ChatRecord, "id">
  /** In order, with their parts. */
  readonly turns: ReadonlyArray<ChatTurn>
  /** The bytes of attachments by their id. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** The file is not a chat that can be read. */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  /** Why it cannot be read. */
  why: Schema.String
}) {
  override get message(): string {
    return `this file cannot be imported: ${this.why}`
  }
  get hint(): string {
    return "a chat that BooCode exported as JSON or Markdown can be imported, and JSON with messages of role and content"
  }
}

/** A turn of which nothing is known but what was said. */
export const plainTurn = ({ answers, seq, ...turn }: {
  readonly turn: number
  readonly text: string
  readonly agent: string
  readonly model: string
  readonly createdAt: string
  readonly replacedBy?: number | null
  /** Parts of the answer, with a blank line between. */
  readonly answers: ReadonlyArray<string>
  /** The parts are numbered from the next one. */
  readonly seq: number
}): ChatTurn => {
  const parts: ReadonlyArray<TurnPart> = [
    ...answers.length === 0 ? [] : [{ type: "text-delta", text: answers.join("\n\n") } as const],
    { type: "finish", reason: "stop", usage: NO_USAGE }
  ]
  return {
    replacedBy: null,
    ...turn,
    key: null,
    state: "ended",
    attachments: [],
    parts: parts.map((part, index) => ({ ...part, turn: turn.turn, seq: seq + index + 1 }))
  }
}
