/** A chat as Markdown, for people: who said what, which tools were called, and what came of it. */
import { ExecuteTool } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { counting } from "../history/History.ts"
import { type ChatTurn, UNCHOSEN } from "../model/Chat.ts"
import type { Part } from "../model/Part.ts"
import { type ChatDocument, ImportRefused, plainTurn } from "./ImportedChat.ts"

/** This line marks a text as a chat that was exported. */
const MARK = "<!-- boocode-chat 1 -->"

export const write = ({ record, turns }: ChatDocument): string =>
  `${[`# ${inline(record.title)}`, MARK, ...turns.flatMap(turnBlocks)].join("\n\n")}\n`

const turnBlocks = (turn: ChatTurn): ReadonlyArray<string> => {
  const replaced = turn.replacedBy === null ? "" : `, replaced by ${turn.replacedBy}`
  const answers = blocksOf(turn.parts)
  return [
    `## ${turn.turn}. You (${inline(turn.createdAt)}${replaced})`,
    quote(turn.text),
    ...turn.attachments.map(({ bytes, mediaType, name }) =>
      `Attached: ${inline(`${name}, ${mediaType}, ${bytes} bytes`)}`
    ),
    ...answers.length === 0 ? [] : [`### ${inline(turn.agent)} (${inline(turn.model)})`, ...answers]
  ]
}

/** Text that came in pieces is one quotation. */
const blocksOf = (parts: ReadonlyArray<Part>): ReadonlyArray<string> => {
  const blocks: Array<string> = []
  let text = ""
  const flush = () => {
    if (text !== "") blocks.push(quote(text))
    text = ""
  }
  for (const part of counting(parts)) {
    if (part.type === "text-delta") text += part.text
    else {
      const block = blockOf(part)
      if (block !== null) {
        flush()
        blocks.push(block)
      }
    }
  }
  flush()
  return blocks
}

/** The program of a call that runs one; null for any other call. */
const codeOf = ({ args, name }: Extract<Part, { readonly type: "tool-call" }>): string | null => {
  const code = name === ExecuteTool.EXECUTE && Predicate.isObject(args) ? args["code"] : null
  return typeof code === "string" ? fence(code, "ts") : null
}

const blockOf = (part: Part): string | null => {
  switch (part.type) {
    case "message":
      return `You added:\n\n${fence(part.text)}`
    case "tool-call":
      return `${part.program === undefined ? "Called" : "The program called"} ${inline(part.name)}:\n\n${
        codeOf(part) ?? fence(JSON.stringify(part.args, null, 2), "json")
      }`
    case "tool-result":
      return `${part.isError ? "Failed" : "Result"}:\n\n${fence(part.text)}`
    case "summary":
      return `Note of turns ${part.from} to ${part.to}, for the model:\n\n${fence(part.text)}`
    case "warning":
      return `Warning: ${inline(part.message)}`
    case "error":
      return `Error: ${inline(part.message)}`
    case "approval-answer":
      return `Asked for a yes: ${inline(part.decision)}${
        part.args === undefined ? "" : `, with other arguments:\n\n${fence(JSON.stringify(part.args, null, 2), "json")}`
      }`
    case "write":
      return `Wrote: ${inline(part.outcome)}, ${inline(allowedWords[part.allowedBy])} (${inline(part.source)})`
    case "question":
      return `${inline(part.server)} asked: ${inline(part.kind === "sampling" ? "the model" : part.message)}${
        part.url === null ? "" : ` (${inline(part.url)})`
      }`
    case "question-answer":
      return `Answered: ${inline(part.action)}${
        part.content === null ? "" : `\n\n${fence(JSON.stringify(part.content, null, 2), "json")}`
      }`
    case "sampling-result":
      return `The model told the server:\n\n${fence(part.error ?? part.text)}`
    case "finish":
      return part.reason === "stop" ? null : `Ended: ${inline(part.reason)}`
    default:
      return null
  }
}

const allowedWords: Record<Extract<Part, { readonly type: "write" }>["allowedBy"], string> = {
  person: "allowed by a person",
  grant: "allowed by an earlier answer",
  rule: "allowed by a rule",
  default: "allowed by default"
}

/** Characters that end a line for Markdown but not for us, and our own way of writing them. */
const WRITTEN = new Map([["\r", "&#13;"], ["\0", "&#0;"]])
const READ = new Map([["13", "\r"], ["0", "\0"], ["38", "&"]])

const protect = (text: string): string =>
  text.replace(/&(?=#(?:13|38|0);)/g, "&#38;").replace(/[\r\0]/g, (character) => WRITTEN.get(character) ?? character)

const unprotect = (text: string): string => text.replace(/&#(13|38|0);/g, (_, code: string) => READ.get(code) ?? "")

/** A block quote: Markdown in the text cannot reach beyond it. */
const quote = (text: string): string => protect(text).split("\n").map((line) => `> ${line}`).join("\n")

const unquote = (lines: ReadonlyArray<string>): string =>
  unprotect(lines.map((line) => line.replace(/^> ?/, "")).join("\n"))

/** A fence longer than any inside. */
const fence = (text: string, language = ""): string => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const marks = "`".repeat(longest + 1)
  return `${marks}${language}\n${protect(text)}\n${marks}`
}

/** One line without a meaning of its own; its line breaks become spaces. */
const inline = (text: string): string => text.replace(/[\n\r\0]+/g, " ").replace(/[\\`*_{}[\]<>()#|~&]/g, "\\$&")

const plain = (line: string): string => line.replace(/\\([\\`*_{}[\]<>()#|~&])/g, "$1")

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

export const readMarkdown = (text: string, now: string): Effect.Effect<ChatDocument, ImportRefused> => {
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
      ...UNCHOSEN,
      createdAt: turns[0]?.createdAt ?? now,
      updatedAt: turns.at(-1)?.createdAt ?? now
    },
    turns,
    files: new Map()
  })
}

/** Reads quotations as messages and answers. Lines in fences are calls and results, and are skipped. */
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

/** Keeps the numbers of turns while they rise: a person may have changed them. */
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
