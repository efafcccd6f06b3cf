/**
 * A chat as Markdown, for people: who said what, which tools were called, and what came of it.
 */
import type { ChatTurn } from "../Chat.ts"
import { counting } from "../history/Counting.ts"
import type { Part } from "../Part.ts"
import type { ChatDocument } from "./ChatDocument.ts"
import { fence, inline, quote } from "./MarkdownBlocks.ts"

/** By this line it is known again. */
export const MARK = "<!-- boocode-chat 1 -->"

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

const blockOf = (part: Part): string | null => {
  switch (part.type) {
    case "tool-call":
      return `Called ${inline(part.name)}:\n\n${fence(JSON.stringify(part.args, null, 2), "json")}`
    case "tool-result":
      return `${part.isError ? "Failed" : "Result"}:\n\n${fence(part.text)}`
    case "warning":
      return `Warning: ${inline(part.message)}`
    case "error":
      return `Error: ${inline(part.message)}`
    case "approval-answer":
      return `Asked for a yes: ${inline(part.decision)}${
        part.args === undefined ? "" : `, with other arguments:\n\n${fence(JSON.stringify(part.args, null, 2), "json")}`
      }`
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
