/**
 * What was said so far as the messages a model gets, in the order that providers accept (Decision 16).
 */
import { ModelImage, ModelText, type Picture, type ResultFiles, type ToolResult } from "@boocode/toolkit"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { ChatTurn } from "./Chat.ts"
import * as HistoryRepair from "./HistoryRepair.ts"
import type { Part } from "./Part.ts"

export { MISSING_RESULT } from "./history/MissingResult.ts"

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
  return yield* HistoryRepair.reported(HistoryRepair.prompt(messages.flat(), { isRequest: false }))
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
  const found = yield* ModelImage.fromContent(result.content)
  const images = found.flatMap((image) => Result.isSuccess(image) ? [filePart(image.success)] : [])
  const notes = found.flatMap((image) => Result.isFailure(image) ? [image.failure] : [])
  const text = [part.result, ...notes].join("\n")
  return Prompt.toolResultPart(
    images.length === 0
      ? { ...part, result: text }
      : { ...part, result: text, modelOutput: [Prompt.textPart({ text }), ...images] }
  )
})

const filePart = ({ bytes, mediaType }: Picture): Prompt.FilePart =>
  Prompt.filePart({ mediaType, data: Base64.encode(bytes) })

const textResult = Effect.fnUntraced(function*(
  call: { readonly id: string; readonly name: string },
  result: Pick<ToolResult.ToolResult, "isError" | "text" | "content" | "truncated" | "origin">
) {
  const text = yield* ModelText.fromResult(result)
  return { id: call.id, name: call.name, isFailure: result.isError, result: text, providerExecuted: false }
})

/**
 * Messages as every provider accepts them, by `HistoryRepair`. They may still end with words of the assistant.
 *
 * @category repairing
 */
export const repair = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> =>
  HistoryRepair.prompt(messages, { isRequest: false }).messages

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
