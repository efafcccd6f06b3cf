/** The part of a conversation that requests leave out, and the messages that remain. Nothing is deleted. */
import { Utf8 } from "@boocode/toolkit"
import * as Prompt from "effect/ai/Prompt"
import * as History from "../history/History.ts"
import type { TurnPart } from "../model/Part.ts"
import * as Images from "./Images.ts"

type Messages = ReadonlyArray<Prompt.Message>

export interface Conversation {
  readonly system: Messages
  /** A note about the turns before `earlier`, which is never left out. None by default. */
  readonly summary?: Messages
  /** One turn after the other. */
  readonly earlier: ReadonlyArray<Messages>
  readonly question: Messages
  /** The steps of the turn that runs: an answer with calls, their results. The model has not read the last one. */
  readonly steps: ReadonlyArray<Messages>
}

/**
 * The pieces that are left out. They only grow while a turn runs, so that caches of providers find the beginning
 * unchanged.
 */
export interface OmittedMessages {
  readonly results: ReadonlySet<string>
  /** How many of the oldest turns. */
  readonly turns: number
  /** How many bytes stay of results that the model has not read yet, by the id of the call. */
  readonly cut: ReadonlyMap<string, number>
}

export const NOTHING: OmittedMessages = { results: new Set(), turns: 0, cut: new Map() }

/** The handles under which `view_file` reads the whole of a result, by the id of its call. */
export type Handles = ReadonlyMap<string, string>

export const handlesIn = (parts: ReadonlyArray<TurnPart>): Map<string, string> => {
  const handles = new Map<string, string>()
  for (const part of parts) addHandle(handles, part)
  return handles
}

/** Adds the handle in a part, where there is one. */
export const addHandle = (handles: Map<string, string>, part: TurnPart): void => {
  if (part.type !== "tool-result") return
  const file = part.truncated?.text?.file ?? part.truncated?.file ?? null
  if (file !== null) handles.set(part.id, file)
}

/** The messages that remain, as providers accept them: each call has its result or a line in place of it. */
export const render = (
  { earlier, question, steps, summary = [], system }: Conversation,
  left: OmittedMessages,
  handles: Handles
): ReadonlyArray<Prompt.Message> => {
  const shorter = (messages: Messages) => messages.map((message) => shortened(message, left, handles))
  return Images.keepRecent(History.repair([
    ...system,
    ...summary,
    ...turnsNote(left.turns),
    ...earlier.slice(left.turns).flatMap(shorter),
    ...question,
    ...steps.flatMap(shorter)
  ]))
}

export const resultsOf = (messages: Messages): ReadonlyArray<Prompt.ToolResultPart> =>
  messages.flatMap((message) =>
    message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : []
  )

const turnsNote = (turns: number): Messages =>
  turns === 0 ? [] : [Prompt.userMessage({
    content: [Prompt.textPart({
      text: `[The ${turns === 1 ? "oldest turn" : `${turns} oldest turns`} of this conversation ${
        turns === 1 ? "is" : "are"
      } left out here, so that it fits into what you can read. Ask the person when you need something of that.]`
    })]
  })]

const shortened = (message: Prompt.Message, left: OmittedMessages, handles: Handles): Prompt.Message => {
  if (message.role !== "tool") return message
  const content = message.content.map((part) => part.type === "tool-result" ? shortResult(part, left, handles) : part)
  return content.every((part, index) => part === message.content[index])
    ? message
    : Prompt.toolMessage({ content, options: message.options })
}

export const shortResult = (
  part: Prompt.ToolResultPart,
  left: OmittedMessages,
  handles: Handles
): Prompt.ToolResultPart => {
  if (left.results.has(part.id)) return lineLeftOut(part, handles)
  const bytes = left.cut.get(part.id)
  return bytes === undefined ? part : cut(part, bytes, handles)
}

/** A result as the line that stands in place of it. It says how large the result was, and how to get at it again. */
export const lineLeftOut = (part: Prompt.ToolResultPart, handles: Handles): Prompt.ToolResultPart => {
  const bytes = Utf8.byteLength(textOf(part))
  const result =
    `[This result of ${part.name}, ${bytes} bytes, is left out now, so that the conversation fits into what you can read; ${
      again(part, handles)
    }.]`
  return plain(part, result)
}

/** A result with its head and its tail, at most so many bytes together, without images. */
export const cut = (part: Prompt.ToolResultPart, bytes: number, handles: Handles): Prompt.ToolResultPart => {
  const text = textOf(part)
  const size = Utf8.byteLength(text)
  if (size <= bytes && part.modelOutput === undefined) return part
  const notice = `\n\n[Of ${size} bytes${
    part.modelOutput === undefined ? "" : " and images"
  } a part is left out here, so that the conversation fits into what you can read; ${again(part, handles)}.]\n\n`
  const room = Math.max(0, bytes - Utf8.byteLength(notice))
  if (size <= room) return plain(part, text + notice)
  return plain(part, Utf8.prefix(text, Math.ceil(room * 0.75)) + notice + Utf8.suffix(text, Math.floor(room * 0.25)))
}

const again = ({ id, name }: Prompt.ToolResultPart, handles: Handles): string => {
  const handle = handles.get(id)
  return handle === undefined ? `call ${name} again if you need it` : `read the whole with view_file ${handle}`
}

const plain = ({ id, isFailure, name, options, providerExecuted }: Prompt.ToolResultPart, result: string) =>
  Prompt.toolResultPart({ id, name, isFailure, providerExecuted, options, result })

export const textOf = ({ modelOutput, result }: Prompt.ToolResultPart): string =>
  modelOutput === undefined
    ? typeof result === "string" ? result : JSON.stringify(result) ?? ""
    : modelOutput.flatMap((item) => item.type === "text" ? item.text : []).join("\n")
