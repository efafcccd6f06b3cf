/** A chat as it stands in a file, and why a file does not become a chat. */
import * as Schema from "effect/Schema"
import type { ChatRecord, ChatTurn } from "../model/Chat.ts"
import { NO_USAGE, type Part, type TurnPart } from "../model/Part.ts"
import * as Usage from "../model/Usage.ts"

/** A chat without its id: an import gets a new one, unless the chat has one from where it comes. */
export interface ChatDocument {
  readonly id?: string
  readonly record: Omit<ChatRecord, "id" | "owner">
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
    return `this cannot be imported: ${this.why}`
  }
  readonly hint: string =
    "give a chat that boocode chats export wrote, an export of ChatGPT or Claude (the zip, or conversations.json in it), " +
    "or JSON with messages of role and content"
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

/** Turns in order, their parts counted through from 1; one without an end was interrupted. */
export const settled = (turns: ReadonlyArray<ChatTurn>): ReadonlyArray<ChatTurn> => {
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

/** A yes counted for the chat where it was said: a file must not bring permissions with it, nor what undoes a write. */
const disarmed = (part: Part): Part => {
  if (part.type === "write" && part.undo !== null && part.undo.id !== null) {
    return { ...part, undo: { id: null, possible: false, why: "this chat is a copy of the one where it was written" } }
  }
  if (part.type === "question-answer" && part.scope === "chat") return { ...part, scope: "once" }
  if (part.type !== "approval-answer" || part.decision === "deny" || part.decision === "expired") return part
  const { where: _, ...answer } = part
  return { ...answer, decision: "once" }
}
