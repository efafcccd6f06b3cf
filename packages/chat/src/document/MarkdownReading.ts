/**
 * Reads Markdown that this program wrote: the messages and the answers. Calls and results are left out.
 */
import * as Effect from "effect/Effect"
import type { ChatTurn } from "../Chat.ts"
import type { ChatDocument } from "./ChatDocument.ts"
import { ImportRefused } from "./ImportRefused.ts"
import { plain, unquote } from "./MarkdownBlocks.ts"
import { MARK } from "./MarkdownWriting.ts"
import { plainTurn } from "./PlainTurn.ts"

const TURN = /^## (\d{1,9})\. You \((.*?)(?:, replaced by (\d{1,9}))?\)$/
const ANSWER = /^### (.*?) \((.*)\)$/
const FENCE = /^(`{3,})[a-z]*$/

interface Found {
  readonly turn: number
  readonly createdAt: string
  readonly replacedBy: number | null
  readonly said: Array<string>
  answer: { readonly agent: string; readonly model: string; readonly texts: Array<string> } | null
}

export const read = (text: string, now: string): Effect.Effect<ChatDocument, ImportRefused> => {
  const lines = text.replaceAll("\r\n", "\n").split("\n")
  const [first = ""] = lines
  if (!first.startsWith("# ") || !lines.slice(0, 5).includes(MARK)) {
    return new ImportRefused({ why: `it is Markdown, but no chat: the line ${MARK} is missing after its title` })
  }
  const turns = numbered(turnsOf(lines))
  return Effect.succeed({
    record: {
      title: plain(first.slice(2)),
      titledBy: "person",
      agent: null,
      model: null,
      createdAt: turns[0]?.createdAt ?? now,
      updatedAt: turns.at(-1)?.createdAt ?? now
    },
    turns,
    files: new Map()
  })
}

/** Lines in fences are calls and results; quotations are what somebody said. */
const turnsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Found> => {
  const turns: Array<Found> = []
  let fence: string | null = null
  let quotation: Array<string> = []
  const flush = () => {
    const last = turns.at(-1)
    if (quotation.length > 0) (last?.answer?.texts ?? last?.said)?.push(unquote(quotation))
    quotation = []
  }
  for (const line of [...lines, ""]) {
    if (fence !== null) {
      if (line === fence) fence = null
    } else if (line.startsWith(">")) quotation.push(line)
    else {
      flush()
      fence = FENCE.exec(line)?.[1] ?? null
      begin(turns, line)
    }
  }
  return turns
}

const begin = (turns: Array<Found>, line: string): void => {
  const turn = TURN.exec(line)
  const answer = ANSWER.exec(line)
  const last = turns.at(-1)
  if (turn !== null) {
    const [, number = "", createdAt = "", replacedBy = null] = turn
    turns.push({
      turn: Number(number),
      createdAt: plain(createdAt),
      replacedBy: replacedBy === null ? null : Number(replacedBy),
      said: [],
      answer: null
    })
  } else if (answer !== null && last !== undefined) {
    const [, agent = "", model = ""] = answer
    last.answer = { agent: plain(agent), model: plain(model), texts: [] }
  }
}

/** By their own numbers while those rise, which somebody may have changed. */
const numbered = (found: ReadonlyArray<Found>): ReadonlyArray<ChatTurn> => {
  let [turn, seq] = [0, 0]
  return found.map(({ answer, createdAt, replacedBy, said, turn: own }) => {
    turn = Math.max(own, turn + 1)
    const read = plainTurn({
      turn,
      text: said.join("\n\n"),
      agent: answer?.agent ?? "Assistant",
      model: answer?.model ?? "",
      createdAt,
      replacedBy,
      answers: answer?.texts ?? [],
      seq
    })
    seq += read.parts.length
    return read
  })
}
