/** Earlier turns and steps as messages for a model, in the order that providers accept. */
import { IndirectCall, ModelImage, ModelText, type Picture, type ResultFiles, type ToolResult } from "@boocode/toolkit"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ChatTurn } from "../model/Chat.ts"
import type { TurnPart } from "../model/Part.ts"
import * as AttachedContent from "./AttachedContent.ts"
import * as HistoryRepair from "./HistoryRepair.ts"
import * as UserMessage from "./UserMessage.ts"

export { MISSING_RESULT } from "./MessageShape.ts"

/**
 * The messages of earlier turns, one list a turn, not repaired yet. Turns that another took the place of stay out, and
 * those that never began. Reasoning stays out: providers take it back only with the signature they gave for the turn
 * that runs. So do the images of tools: one that a provider refuses must not end every later turn, too. `file` gives
 * the bytes of attachments, `reading` says how much of them a request has.
 */
export const earlier = Effect.fnUntraced(function*(
  turns: ReadonlyArray<ChatTurn>,
  file: UserMessage.FileOf = () => Effect.succeed(null),
  reading: AttachedContent.Reading = AttachedContent.CAUTIOUS
): Effect.fn.Return<ReadonlyArray<ReadonlyArray<Prompt.Message>>, never, ResultFiles> {
  const seen = turns.filter(({ replacedBy, state }) => replacedBy === null && state !== "waiting")
  const images = UserMessage.imagesShown(seen)
  return yield* Effect.forEach(seen, (turn) =>
    Effect.gen(function*() {
      const steps = yield* Effect.forEach(
        stepsOf(turn.parts),
        (step) => stepMessages(step, textPart, (taken) => UserMessage.again(taken, images, file, reading))
      )
      return [...yield* UserMessage.again(turn, images, file, reading), ...steps.flat()]
    }))
})

/**
 * The steps that a turn has already made, as the turn that runs sends them: with the images of their results and of the
 * messages it took.
 */
export const steps = (
  parts: ReadonlyArray<TurnPart>,
  file: UserMessage.FileOf = () => Effect.succeed(null),
  reading: AttachedContent.Reading = AttachedContent.CAUTIOUS
): Effect.Effect<ReadonlyArray<ReadonlyArray<Prompt.Message>>, never, ResultFiles> =>
  Effect.forEach(stepsOf(parts), (step) => stepMessages(step, resultPart, (taken) => asTaken(taken, file, reading)))

/** A message that the turn took between two steps, with all of its images. */
export const asTaken = (taken: Taken, file: UserMessage.FileOf, reading: AttachedContent.Reading) =>
  UserMessage.again(taken, new Set(taken.attachments.map(({ id }) => id)), file, reading)

/** One result of the turn that runs: text of at most 100,000 bytes, and its images for models that can see them. */
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

/** Messages as every provider accepts them, by `HistoryRepair`. They may still end with a message of the assistant. */
export const repair = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> =>
  HistoryRepair.prompt(messages, { isRequest: false }).messages

const textPart = (call: { readonly id: string; readonly name: string }, result: Answer) =>
  Effect.map(textResult(call, result), Prompt.toolResultPart)

const stepMessages = Effect.fnUntraced(function*(
  step: Step,
  toPart: typeof textPart,
  toMessages: (taken: Taken) => ReturnType<typeof asTaken>
) {
  const names = new Map(
    step.said.flatMap((part) => part.type === "tool-call" ? [[part.id, part.through ?? part.name]] : [])
  )
  const content = yield* Effect.forEach(
    step.results,
    (part) => toPart({ id: part.id, name: names.get(part.id) ?? "" }, part)
  )
  const taken = yield* Effect.forEach(
    step.taken,
    (part) => part.type === "message" ? toMessages(part) : Effect.succeed([noteOf(part.told ?? "")])
  )
  // Words that were said before the first answer belong to no step.
  if (step.said.length === 0) return taken.flat()
  return [
    Prompt.assistantMessage({ content: assistantContent(step.said) }),
    Prompt.toolMessage({ content }),
    ...taken.flat()
  ]
})

type Said = Extract<TurnPart, { type: "text-delta" | "tool-call" }>
type Answer = Extract<TurnPart, { type: "tool-result" }>

/** A note of this program, which the model is told like a message. */
export const noteOf = (text: string): Prompt.UserMessage => Prompt.userMessage({ content: [Prompt.textPart({ text })] })

/** A message that waited, as the turn took it. */
export type Taken = Extract<TurnPart, { type: "message" }>

interface Step {
  readonly said: Array<Said>
  readonly results: Array<Answer>
  readonly taken: Array<Taken | Extract<TurnPart, { type: "warning" }>>
}

/**
 * A step is one model request: what the model said, then the results of its calls, then the messages that the turn took.
 * Text after the results begins the next step. Calls have the arguments that were sent, which a person may have changed.
 */
const stepsOf = (parts: ReadonlyArray<TurnPart>): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  const changed = changedArguments(parts)
  for (const one of counting(withoutInner(parts))) {
    const part = one.type === "tool-call" ? { ...one, args: changed.get(one.id) ?? one.args } : one
    const last = steps.at(-1)
    if (part.type === "tool-result") last?.results.push(part)
    else if (part.type === "message") last?.taken.push(part)
    else if (part.type === "warning") {
      if (part.told === undefined) continue
      if (last === undefined) steps.push({ said: [], results: [], taken: [part] })
      else last.taken.push(part)
    } else if (part.type === "text-delta" || part.type === "tool-call") {
      if (last === undefined || last.results.length > 0 || last.said.length === 0) {
        steps.push({ said: [part], results: [], taken: [] })
      } else last.said.push(part)
    }
  }
  return steps
}

/** The parts without the calls that programs made: a model reads of them in the result of its program. */
const withoutInner = (parts: ReadonlyArray<TurnPart>): ReadonlyArray<TurnPart> => {
  const inner = new Set(
    parts.flatMap((part) => part.type === "tool-call" && part.program !== undefined ? [part.id] : [])
  )
  return inner.size === 0
    ? parts
    : parts.filter((part) => !((part.type === "tool-call" || part.type === "tool-result") && inner.has(part.id)))
}

/** The arguments that a person changed at approval, by the ids of the calls. */
const changedArguments = (parts: ReadonlyArray<TurnPart>): ReadonlyMap<string, Schema.JsonObject> => {
  const calls = new Map(parts.flatMap((part) => part.type === "approval" ? [[part.id, part.call] as const] : []))
  return new Map(parts.flatMap((part) => {
    const call = part.type === "approval-answer" ? calls.get(part.id) : undefined
    return part.type !== "approval-answer" || part.args === undefined || call === undefined ? [] : [[call, part.args]]
  }))
}

const assistantContent = (said: ReadonlyArray<Said>): ReadonlyArray<Prompt.AssistantMessagePart> => {
  const content: Array<Prompt.AssistantMessagePart> = []
  for (const part of said) {
    const last = content.at(-1)
    if (part.type === "tool-call") {
      content.push(Prompt.toolCallPart({ id: part.id, ...asSaid(part), providerExecuted: false }))
    } else if (last?.type === "text") {
      content[content.length - 1] = Prompt.textPart({ text: last.text + part.text })
    } else content.push(Prompt.textPart({ text: part.text }))
  }
  return content
}

/** A call in the words of the model: a provider finds in its cache only what stays the same to the letter. */
const asSaid = ({ args, name, through }: Extract<Said, { type: "tool-call" }>) =>
  through === undefined ? { name, params: args } : { name: through, params: IndirectCall.params(name, args) }

/**
 * The parts that count. A `retry` takes back the text and the calls of the answer that broke off, with the results of
 * those calls.
 */
export const counting = <One extends TurnPart>(parts: ReadonlyArray<One>): ReadonlyArray<One> => {
  const gone = new Set<One>()
  const calls = new Set<string>()
  let open: Array<One> = []
  for (const part of parts) {
    if (part.type === "tool-result") {
      if (calls.has(part.id)) gone.add(part)
      else open = []
    } else if (part.type === "text-delta" || part.type === "reasoning-delta" || part.type === "tool-call") {
      open.push(part)
    } else if (part.type === "retry") {
      for (const said of open.splice(0)) {
        gone.add(said)
        if (said.type === "tool-call") calls.add(said.id)
      }
    }
  }
  return gone.size === 0 ? parts : parts.filter((part) => !gone.has(part))
}
