/** Turns the parts of a turn into the chunks of OpenAI's wire. Pure. */
import type { Part, Usage } from "@boocode/chat"
import * as CompletionError from "./CompletionError.ts"

/** The answer so far. A `retry` takes back the text since the last result of a tool. */
export interface CompletionProgress {
  readonly content: string
  readonly reasoning: string
  /** How long both were when the last result of a tool came. */
  readonly kept: { readonly content: number; readonly reasoning: number }
  readonly hasCalled: boolean
  readonly failure: CompletionError.CompletionError | null
  readonly end: CompletionEnd | null
}

export interface CompletionEnd {
  readonly reason: "stop" | "length" | "content_filter"
  readonly usage: typeof Usage.Type
}

/** More of the answer. Reasoning has a field of its own, which clients without it pass over. */
export interface Delta {
  readonly content?: string
  readonly reasoning_content?: string
}

export const NOTHING: CompletionProgress = {
  content: "",
  reasoning: "",
  kept: { content: 0, reasoning: 0 },
  hasCalled: false,
  failure: null,
  end: null
}

type Next = readonly [CompletionProgress, ReadonlyArray<Delta>]

/** How long a call waits for a yes, in minutes. */
export const YES_MINUTES = 3

/** The answer with one more part, and what a stream says of it. */
export const next = (progress: CompletionProgress, part: Part): Next => {
  const note = (text: string): Next => thought(progress, `${progress.reasoning === "" ? "" : "\n"}${text}\n`)
  switch (part.type) {
    case "text-delta":
      return said(progress, part.text)
    case "reasoning-delta":
      return thought(progress, part.text)
    case "tool-call": {
      const [noted, deltas] = note(`Calls ${part.name}.`)
      return [{ ...noted, hasCalled: true }, deltas]
    }
    case "tool-result":
      return [{ ...progress, kept: lengthsOf(progress) }, []]
    case "approval":
      return note(`${part.name} waits for a yes on the page of BooCode, for ${YES_MINUTES} minutes.`)
    case "question":
      return note(`${part.server} asks something on the page of BooCode.`)
    case "warning":
      return note(part.message)
    case "retry":
      return again(progress)
    case "error":
      return [{ ...progress, failure: CompletionError.ofTurn(part, progress.hasCalled) }, []]
    case "finish":
      return [ended(progress, part), []]
    default:
      return [progress, []]
  }
}

const lengthsOf = ({ content, reasoning }: CompletionProgress): CompletionProgress["kept"] => ({
  content: content.length,
  reasoning: reasoning.length
})

/** Text after a result of a tool is a paragraph of its own. */
const said = (progress: CompletionProgress, text: string): Next => {
  const { content, kept } = progress
  const delta = content !== "" && content.length === kept.content ? `\n\n${text}` : text
  return [{ ...progress, content: content + delta }, [{ content: delta }]]
}

const thought = (progress: CompletionProgress, text: string): Next => [
  { ...progress, reasoning: progress.reasoning + text },
  [{ reasoning_content: text }]
]

/** A stream cannot take back what it said; a whole answer is without it. */
const again = (progress: CompletionProgress): Next => {
  const { content, kept, reasoning } = progress
  const isSaid = content.length > kept.content
  return [
    { ...progress, content: content.slice(0, kept.content), reasoning: reasoning.slice(0, kept.reasoning) },
    isSaid ? [{ content: "\n\n[The answer broke off. It begins again.]\n\n" }] : []
  ]
}

const ended = (progress: CompletionProgress, part: Extract<Part, { type: "finish" }>): CompletionProgress => {
  const { failure } = progress
  if (part.reason === "interrupted") return { ...progress, failure: failure ?? CompletionError.INTERRUPTED }
  if (part.reason === "error") return { ...progress, failure: failure ?? CompletionError.UNKNOWN }
  return { ...progress, end: { reason: REASONS[part.reason] ?? "stop", usage: part.usage } }
}

const REASONS: Readonly<Record<string, CompletionEnd["reason"]>> = {
  length: "length",
  steps: "length",
  "content-filter": "content_filter"
}
