/** How many tokens a request takes, guessed on the high side, without asking anybody. */
import type { AgentTool } from "@boocode/toolkit"
import type * as Prompt from "effect/ai/Prompt"
import * as Result from "effect/Result"
import * as AttachedContent from "./AttachedContent.ts"

/** Above what makers take for the largest image that `ModelImage` lets through. */
const IMAGE = 2000
const MESSAGE = 5
const PART = 10
/** Providers write so much around tools for their models. */
const TOOLS = 500
const TOOL = 15

/** So much text has at least about so many tokens, as bytes of UTF-8. */
export const bytesOf = (tokens: number): number => tokens * 3

/**
 * Text, by what its characters are: models know words as a whole, but digits, signs and mixed letters only in small
 * pieces.
 */
export const ofText = (text: string): number => {
  let tokens = 0
  let kind: number = SPACE
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    const next = at === text.length ? END : kindOf(text.charCodeAt(at))
    if (next === kind) continue
    // A word may begin with a capital.
    if (kind !== UPPER || next !== LOWER || at !== start + 1) {
      tokens += kind === SPACE && at === start + 1 ? 0 : Math.ceil((at - start) / (SIZES[kind] ?? 1))
      start = at
    }
    kind = next
  }
  return tokens
}

// Numbers, because this looks at every character of a conversation.
const [SPACE, LOWER, UPPER, DIGIT, SIGN, OTHER, WIDE, END] = [0, 1, 2, 3, 4, 5, 6, 7] as const

/** How many characters of a kind in a row are one token, on the low side. */
const SIZES: ReadonlyArray<number> = [8, 5, 3, 2, 2, 2, 1]

const asciiKind = (unit: number): number => {
  const character = String.fromCharCode(unit)
  if (unit <= 0x20) return SPACE
  if (/[a-z]/.test(character)) return LOWER
  if (/[A-Z]/.test(character)) return UPPER
  return /\d/.test(character) ? DIGIT : SIGN
}

const ASCII = Uint8Array.from({ length: 0x80 }, (_, unit) => asciiKind(unit))

const kindOf = (unit: number): number => ASCII[unit] ?? (unit < 0x800 ? OTHER : WIDE)

export const ofTools = (tools: ReadonlyArray<AgentTool>): number =>
  tools.length === 0
    ? 0
    : tools.reduce((sum, tool) => sum + (tool.isDeferred === true ? 0 : remembered(tool, ofTool)), TOOLS)

export const ofMessages = (messages: ReadonlyArray<Prompt.Message>): number =>
  messages.reduce((sum, message) => sum + ofMessage(message), 0)

const ofMessage = (message: Prompt.Message): number =>
  message.role === "system"
    ? MESSAGE + ofText(message.content)
    : message.content.reduce((sum, part) => sum + ofPart(part), MESSAGE)

export const ofPart = (part: Prompt.Part): number => remembered(part, countPart)

const ofTool = ({ description, inputSchema, name }: AgentTool): number =>
  TOOL + ofText(name + description + JSON.stringify(inputSchema))

const countPart = (part: Prompt.Part): number => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return ofText(part.text)
    case "file":
      return ofFile(part)
    case "tool-call":
      return PART + ofText(part.name + jsonOf(part.params))
    case "tool-result":
      return PART + ofText(part.name) + ofResult(part)
    default:
      return PART
  }
}

const ofResult = ({ modelOutput, result }: Prompt.ToolResultPart): number =>
  modelOutput === undefined
    ? ofText(typeof result === "string" ? result : jsonOf(result))
    : modelOutput.reduce((sum, item) => sum + (item.type === "text" ? ofText(item.text) : ofFile(item)), 0)

/** A value that is no JSON is not sent either. */
const jsonOf = (value: unknown): string => Result.getOrElse(Result.try(() => JSON.stringify(value) ?? ""), () => "")

/** A document of which no pages are known is text that nobody has read yet. */
const ofFile = (part: Prompt.FilePart): number => AttachedContent.tokensOf(part) ?? ofUnread(part)

const ofUnread = ({ data, mediaType }: Prompt.FilePart): number =>
  /^image\//i.test(mediaType) || data instanceof URL ? IMAGE : Math.ceil(data.length / 3)

/** Parts and tools do not change, and are counted again with every request. */
const counts = new WeakMap<object, number>()

const remembered = <A extends object>(thing: A, count: (thing: A) => number): number => {
  const known = counts.get(thing)
  if (known !== undefined) return known
  const counted = count(thing)
  counts.set(thing, counted)
  return counted
}
