/** Where words stand in the texts of a chat, the same in every store. Pure. */
import type { ChatRecord } from "../model/Chat.ts"
import { type AnswerPart, answerPieces, excerptAround, firstOf, marksIn } from "./SearchWords.ts"

/** The texts of a chat that can be found, in the order in which they stand in a turn. The title has the turn 0. */
export const Kind = { title: 0, message: 1, answer: 2 } as const

export interface FoundText {
  readonly turn: number
  /** One of `Kind`. */
  readonly kind: number
  readonly text: string
}

/** One text of a chat in which words were found, and where in it. */
export interface TextHit {
  readonly record: ChatRecord
  /** Null for the title. */
  readonly turn: number | null
  /** The part of an answer in which the first word stands; null for a title and a message. */
  readonly seq: number | null
  readonly role: "title" | "user" | "assistant"
  /** At most 200 characters around the first word, on one line. */
  readonly excerpt: string
  /** Each word found in the excerpt, from its first character up to the one after it, in UTF-16 units. */
  readonly marks: ReadonlyArray<readonly [from: number, to: number]>
}

/** No more texts of one chat are given. */
export const MOST_TEXTS = 20

/** The hit in a text. `parts` are those of its turn, which an answer is made of. */
export const hitIn = (
  record: ChatRecord,
  { kind, text, turn }: FoundText,
  words: ReadonlyArray<string>,
  parts: Iterable<AnswerPart>
): TextHit => {
  const at = firstOf(text, words)
  const excerpt = excerptAround(text, at)
  return {
    record,
    turn: kind === Kind.title ? null : turn,
    seq: kind === Kind.answer ? seqAt(parts, at ?? 0) : null,
    role: kind === Kind.title ? "title" : kind === Kind.message ? "user" : "assistant",
    excerpt,
    marks: marksIn(excerpt, words)
  }
}

const seqAt = (parts: Iterable<AnswerPart>, at: number): number | null => {
  let end = 0
  let last: number | null = null
  for (const { seq, text } of answerPieces(parts)) {
    if (text === "") continue
    last = seq
    end += text.length
    if (end > at) break
  }
  return last
}
