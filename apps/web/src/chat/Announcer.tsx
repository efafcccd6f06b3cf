/** Tells a screen reader what happens in the conversation, in whole sentences: text that streams would never end. */
import { useEffect, useRef, useState } from "preact/hooks"
import { turn as words } from "../messages/ChatMessages.ts"
import { cut } from "../messages/Numbers.ts"
import type { OpenChat } from "./open/OpenChat.ts"
import type { Turn } from "./open/OpenTurns.ts"
import {
  type Block,
  isJoined,
  openCall,
  plainText,
  type TurnModel,
  waitingApprovals,
  waitingQuestions
} from "./open/TurnModel.ts"

const LONGEST = 600

const ended = (model: TurnModel): string => {
  const error = model.blocks.findLast((block): block is Block & { kind: "error" } => block.kind === "error")
  if (error !== undefined) return "" // it is an alert of its own
  const text = plainText(model)
  return text === "" ? words.done : words.answer(cut(text, LONGEST))
}

const wordsOf = (turn: Turn): string => {
  const model = turn.model.value
  if (model.finish !== null) return model.finish.reason === "stopped" ? words.stopped : ended(model)
  const [asked] = waitingApprovals(model)
  if (asked !== undefined) return words.callWaits(asked.call.name)
  const [question] = waitingQuestions(model)
  if (question !== undefined) return words.serverAsks(question.question.server)
  const called = openCall(model)
  return called === null ? words.isAnswering(turn.about.value.agent) : words.isCalled(called.call.name)
}

export const Announcer = ({ chat }: { readonly chat: OpenChat }) => {
  const last =
    chat.turns.value.findLast(({ about, model }) => about.value.state !== "waiting" && !isJoined(model.value)) ?? null
  const now = last === null ? "" : wordsOf(last)
  const [said, say] = useState("")
  // People go there to read what the chat had when it was opened; only later parts are announced.
  const first = useRef<string | null>(null)
  useEffect(() => {
    first.current ??= now
    if (first.current === now && said === "") return undefined
    const timer = setTimeout(() => say(now), 250)
    return () => clearTimeout(timer)
  }, [now])
  return <p class="visually-hidden" role="status">{said}</p>
}
