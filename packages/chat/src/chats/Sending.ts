/** Checks a message, and keeps it before its sender is told that it will be answered. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Attachments from "../model/Attachments.ts"
import type { Attachment, Message } from "../model/Chat.ts"
import { QueueFull, TurnRunning, UnknownChat, UnknownTurn } from "../model/ChatError.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import * as PromptText from "../model/PromptText.ts"
import type { ChatStoreFailed, TurnStart } from "../store/ChatStore.ts"
import * as TurnSpans from "../turn/TurnSpans.ts"
import * as ChatSession from "./ChatSession.ts"
import * as Titles from "./Titles.ts"

/** How many messages of a chat wait at most. */
const MOST_QUEUED = 20

export interface Sent {
  readonly turn: number
  readonly queued: boolean
  /** Every part of the turn has a higher `seq`. */
  readonly after: number
}

export const repeated = (session: ChatSession.ChatSession, key: string | null | undefined): Sent | null =>
  repeatedIn([...session.state.turns.values()], key)

/** The turn that the message of this key became; null without a key, and where there is none. */
export const repeatedIn = (turns: ReadonlyArray<TurnStart>, key: string | null | undefined): Sent | null => {
  if (key === null || key === undefined) return null
  const turn = turns.find((one) => one.key === key)
  return turn === undefined ? null : { turn: turn.turn, queued: turn.state === "waiting", after: 0 }
}

/**
 * Keeps a message with its files as a turn that waits, and puts it at the end of the queue. The turn itself is kept last: after a
 * crash before that, the message was never sent.
 */
export const admit = Effect.fnUntraced(function*(
  session: ChatSession.ChatSession,
  message: Message,
  files?: ReadonlyArray<Attachments.ExaminedFile>
): Effect.fn.Return<Sent, UnknownChat | UnknownTurn | TurnRunning | QueueFull | ChatStoreFailed> {
  const before = repeated(session, message.key)
  if (before !== null) return before
  const replaced = yield* admissible(session, message)
  const turn = session.state.lastTurn + 1
  const createdAt = DateTime.formatIso(yield* DateTime.now)
  const attachments = yield* keepFiles(session, turn, files, replaced[0])
  yield* Effect.forEach(
    replaced.filter(({ replacedBy }) => replacedBy === null),
    (start) => ChatSession.putTurn(session, { ...start, replacedBy: turn })
  )
  yield* ChatSession.change(session, (record) => ({
    ...record,
    ...record.titledBy === "none" ? { title: Titles.ofMessage(message.text), titledBy: "message" } : {},
    updatedAt: createdAt
  }))
  const prompt = PromptText.kept(message.prompt ?? replaced[0]?.prompt, message.text)
  yield* ChatSession.putTurn(session, {
    turn,
    key: message.key ?? null,
    text: message.text,
    ...prompt === null ? {} : { prompt },
    agent: ModelChoice.given(message.agent) ?? "",
    model: ModelChoice.given(message.model) ?? "",
    createdAt,
    state: "waiting",
    replacedBy: null,
    attachments,
    ...message.unattended === true ? { unattended: true } : {},
    ...message.via === undefined ? {} : { via: message.via }
  })
  const pending = { turn, resume: null, sentIn: yield* TurnSpans.current }
  const { lastSeq, queue, running } = session.state
  ChatSession.happened(session, { type: "queued", pending })
  return { turn, queued: running !== null || queue.length > 0, after: lastSeq }
})

const admissible = Effect.fnUntraced(function*(session: ChatSession.ChatSession, { replaces }: Message) {
  const { id, state: { broken, phase, queue, running, turns } } = session
  if (phase === "removing" || phase === "removed") return yield* new UnknownChat({ id })
  if (broken !== null) return yield* broken
  if (queue.length >= MOST_QUEUED) return yield* new QueueFull({ id, limit: MOST_QUEUED })
  if (replaces === null || replaces === undefined) return []
  const busy = running?.turn ?? queue[0]?.turn
  if (busy !== undefined) return yield* new TurnRunning({ id, turn: busy })
  if (!turns.has(replaces)) return yield* new UnknownTurn({ id, turn: replaces, isWaiting: false })
  return [...turns.values()].filter(({ turn }) => turn >= replaces)
})

/** A message that replaces a turn and says nothing of attachments keeps those of that turn. */
const keepFiles = Effect.fnUntraced(function*(
  { id, store }: ChatSession.ChatSession,
  turn: number,
  files: ReadonlyArray<Attachments.ExaminedFile> | undefined,
  replaced: TurnStart | undefined
): Effect.fn.Return<ReadonlyArray<Attachment>, ChatStoreFailed> {
  if (files === undefined) return replaced?.attachments ?? []
  return yield* Effect.forEach(files, ({ attachment, data, text }, at) =>
    Effect.gen(function*() {
      const named = { ...attachment, id: Attachments.idOf(turn, at) }
      yield* store.putFile(id, named.id, data)
      if (text !== null) yield* store.putFile(id, Attachments.textIdOf(named.id), new TextEncoder().encode(text))
      return named
    }))
})
