/**
 * What is made of a chat that comes from outside: nothing in it runs, waits or allows anything.
 */
import type { ChatTurn } from "../Chat.ts"
import type { Part } from "../Part.ts"
import * as Usage from "../Usage.ts"

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

/** A yes counted for the chat where it was said: a file must not bring permissions with it. */
const disarmed = (part: Part): Part => {
  if (part.type === "question-answer" && part.scope === "chat") return { ...part, scope: "once" }
  return part.type === "approval-answer" && (part.decision === "chat" || part.decision === "always")
    ? { ...part, decision: "once" }
    : part
}
