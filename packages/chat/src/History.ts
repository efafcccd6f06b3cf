/**
 * What was said so far as the messages a model gets, in the order that providers accept (Decision 16).
 */
import { ModelText, type ResultFiles, type ToolResult } from "@boocode/toolkit"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ChatTurn } from "./Chat.ts"
import type { Part } from "./Part.ts"
import * as ResultImage from "./ResultImage.ts"

/** What a model reads for a call that never got a result. @category constants */
export const MISSING_RESULT = "This call has no result: it was interrupted before it finished."

/**
 * The messages of earlier turns, repaired. Reasoning stays out: providers take it back only with the signature they
 * gave for the turn that runs. So do images: one that a provider refuses must not end every later turn, too.
 *
 * @category constructors
 */
export const fromTurns = Effect.fnUntraced(function*(
  turns: ReadonlyArray<ChatTurn>
): Effect.fn.Return<ReadonlyArray<Prompt.Message>, never, ResultFiles> {
  const messages = yield* Effect.forEach(turns, turnMessages)
  return repair(messages.flat())
})

/**
 * One result of the turn that runs: text of at most 100,000 bytes, and its images for models that can see them.
 *
 * @category constructors
 */
export const resultPart = Effect.fnUntraced(function*(
  call: { readonly id: string; readonly name: string },
  result: Pick<ToolResult.ToolResult, "isError" | "text" | "content" | "truncated" | "origin">
): Effect.fn.Return<Prompt.ToolResultPart, never, ResultFiles> {
  const part = yield* textResult(call, result)
  const found = ResultImage.fromContent(result.content)
  const images = found.flatMap((image) => Result.isSuccess(image) ? [image.success] : [])
  const notes = found.flatMap((image) => Result.isFailure(image) ? [image.failure] : [])
  const text = [part.result, ...notes].join("\n")
  return Prompt.toolResultPart(
    images.length === 0
      ? { ...part, result: text }
      : { ...part, result: text, modelOutput: [Prompt.textPart({ text }), ...images] }
  )
})

const textResult = Effect.fnUntraced(function*(
  call: { readonly id: string; readonly name: string },
  result: Pick<ToolResult.ToolResult, "isError" | "text" | "content" | "truncated" | "origin">
) {
  const text = yield* ModelText.fromResult(result)
  return { id: call.id, name: call.name, isFailure: result.isError, result: text, providerExecuted: false }
})

/**
 * Puts messages into an order every provider accepts: each tool call has exactly one result, in the message directly
 * after it, and a missing one is an error result that says so; a result without a call, a second result and a second
 * call of one id are left out; blank text is left out, with the message it leaves empty; user messages that then follow
 * each other are one. Applied twice it changes nothing more.
 *
 * @category repairing
 */
export const repair = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> => {
  const repaired: Array<Prompt.Message> = []
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") continue
    if (message.role === "assistant") repaired.push(...answered(message, resultsAfter(messages, index)))
    else if (message.role === "user") addUser(repaired, message)
    else if (!isBlank(message.content)) repaired.push(message)
  }
  return repaired
}

const addUser = (messages: Array<Prompt.Message>, message: Prompt.UserMessage): void => {
  const content = message.content.filter((part) => part.type !== "text" || !isBlank(part.text))
  if (content.length === 0) return
  const before = messages.at(-1)
  if (before?.role !== "user") messages.push(Prompt.userMessage({ content, options: message.options }))
  else messages[messages.length - 1] = Prompt.userMessage({ ...before, content: [...before.content, ...content] })
}

// Anthropic refuses text of white space alone, in every request that repeats it.
const isBlank = (text: string): boolean => text.trim() === ""

/** Results belong to the last assistant message in front of them. */
const resultsAfter = (
  messages: ReadonlyArray<Prompt.Message>,
  index: number
): ReadonlyMap<string, Prompt.ToolResultPart> => {
  const results = new Map<string, Prompt.ToolResultPart>()
  for (let next = index + 1; next < messages.length; next++) {
    const message = messages[next]
    if (message === undefined || message.role === "assistant") break
    if (message.role !== "tool") continue
    for (const part of message.content) {
      if (part.type === "tool-result" && !results.has(part.id)) results.set(part.id, part)
    }
  }
  return results
}

const answered = (
  message: Prompt.AssistantMessage,
  results: ReadonlyMap<string, Prompt.ToolResultPart>
): ReadonlyArray<Prompt.Message> => {
  const ids = new Set<string>()
  const content = message.content.filter((part) => {
    // Blank text with metadata may carry a signature.
    if (part.type === "text") return !isBlank(part.text) || Object.keys(part.options).length > 0
    if (part.type !== "tool-call" || part.providerExecuted) return true
    if (ids.has(part.id)) return false
    ids.add(part.id)
    return true
  })
  if (content.length === 0) return []
  const calls = content.filter((part) => part.type === "tool-call").filter((part) => !part.providerExecuted)
  const assistant = Prompt.assistantMessage({ content, options: message.options })
  if (calls.length === 0) return [assistant]
  return [assistant, Prompt.toolMessage({ content: calls.map((call) => results.get(call.id) ?? missing(call)) })]
}

const missing = (call: Prompt.ToolCallPart): Prompt.ToolResultPart =>
  Prompt.toolResultPart({
    id: call.id,
    name: call.name,
    isFailure: true,
    result: MISSING_RESULT,
    providerExecuted: false
  })

const turnMessages = Effect.fnUntraced(function*(turn: ChatTurn) {
  const messages: Array<Prompt.Message> = [Prompt.userMessage({ content: [Prompt.textPart({ text: turn.text })] })]
  for (const step of stepsOf(turn.parts)) {
    const names = new Map(step.said.flatMap((part) => part.type === "tool-call" ? [[part.id, part.name]] : []))
    messages.push(Prompt.assistantMessage({ content: assistantContent(step.said) }))
    const results = yield* Effect.forEach(
      step.results,
      (part) => Effect.map(textResult({ id: part.id, name: names.get(part.id) ?? "" }, part), Prompt.toolResultPart)
    )
    messages.push(Prompt.toolMessage({ content: results }))
  }
  return messages
})

type Said = Extract<Part, { type: "text-delta" | "tool-call" }>
type Answer = Extract<Part, { type: "tool-result" }>

interface Step {
  readonly said: Array<Said>
  readonly results: Array<Answer>
}

/** A step is one model request: what the model said, then the results of its calls. What it says after them is the next. */
const stepsOf = (parts: ReadonlyArray<Part>): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  for (const part of parts) {
    const last = steps.at(-1)
    if (part.type === "tool-result") last?.results.push(part)
    else if (part.type === "text-delta" || part.type === "tool-call") {
      if (last === undefined || last.results.length > 0) steps.push({ said: [part], results: [] })
      else last.said.push(part)
    }
  }
  return steps
}

const assistantContent = (said: ReadonlyArray<Said>): ReadonlyArray<Prompt.AssistantMessagePart> => {
  const content: Array<Prompt.AssistantMessagePart> = []
  for (const part of said) {
    const last = content.at(-1)
    if (part.type === "tool-call") {
      content.push(Prompt.toolCallPart({ id: part.id, name: part.name, params: part.args, providerExecuted: false }))
    } else if (last?.type === "text") {
      content[content.length - 1] = Prompt.textPart({ text: last.text + part.text })
    } else content.push(Prompt.textPart({ text: part.text }))
  }
  return content
}
