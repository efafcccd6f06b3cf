/**
 * A turn of which nothing is known but what was said.
 */
import type { ChatTurn } from "../Chat.ts"
import { NO_USAGE, type TurnPart } from "../Part.ts"

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
