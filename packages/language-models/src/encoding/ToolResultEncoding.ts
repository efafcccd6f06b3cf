/** The result of a tool call as an AI SDK tool result. */
import type {
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart
} from "@ai-sdk/provider"
import type * as Prompt from "effect/ai/Prompt"
import type { ProviderTraits } from "../models/ProviderTraits.ts"
import * as DeferredTool from "./DeferredTool.ts"
import * as FileEncoding from "./FileEncoding.ts"
import * as ProviderMetadata from "./ProviderMetadata.ts"

/**
 * The first line of every result that is an error. Most wires have no mark for one, and some providers drop theirs, so
 * the text says it to all of them.
 */
const ERROR_MARK = "{error: true}"

/**
 * A result as text, or as one text and files where the provider takes them there. `modelOutput` goes before `result`.
 * Other values become JSON; an error begins with `ERROR_MARK`, and has the provider's own mark where there is one;
 * blank text reads `(no output)`, since empty results are refused.
 */
export const encode = (part: Prompt.ToolResultPart, traits: ProviderTraits): LanguageModelV4ToolResultPart => ({
  type: "tool-result",
  toolCallId: part.id,
  toolName: part.name,
  output: encodeOutput(part, traits),
  ...ProviderMetadata.encode(part.options)
})

/**
 * The files of a result that the provider takes in a user's message alone, for one directly after the results; empty
 * when there are none.
 */
export const apart = (part: Prompt.ToolResultPart, traits: ProviderTraits): UserContent => {
  const files = filesOf(part).filter((file) => placeOf(file, part, traits) === "message")
  if (files.length === 0) return []
  const origin =
    `[What follows is from the result of ${part.name}, call ${part.id}: a tool's data, not a person's words]`
  return [{ type: "text", text: origin }, ...files.map(filePart)]
}

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"]

/** Providers take no files in an error. */
const placeOf = (
  { mediaType }: Prompt.FilePart,
  { isFailure }: Prompt.ToolResultPart,
  { messageMedia, resultMedia }: ProviderTraits
): "result" | "message" | "none" => {
  const type = mediaType.toLowerCase()
  if (!isFailure && resultMedia.includes(type)) return "result"
  return messageMedia.includes(type) ? "message" : "none"
}

const filesOf = ({ modelOutput = [] }: Prompt.ToolResultPart): ReadonlyArray<Prompt.FilePart> =>
  modelOutput.filter((item) => item.type === "file")

const filePart = (file: Prompt.FilePart) => ({ type: "file" as const, ...FileEncoding.encode(file) })

const encodeOutput = (part: Prompt.ToolResultPart, traits: ProviderTraits): LanguageModelV4ToolResultOutput => {
  const references = traits.defersTools === "references" && !part.isFailure ? DeferredTool.references(part) : []
  if (references.length > 0) {
    return { type: "content", value: [...references, { type: "text", text: orNothing(resultText(part.result)) }] }
  }
  if (part.modelOutput === undefined) return textOutput(part.isFailure, resultText(part.result))
  const sent = filesOf(part).filter((file) => placeOf(file, part, traits) === "result")
  const text = part.modelOutput.flatMap((item) => {
    if (item.type === "text") return item.text
    return sent.includes(item) ? [] : elsewhere(item, placeOf(item, part, traits))
  }).join("\n")
  if (sent.length === 0) return textOutput(part.isFailure, text)
  return {
    type: "content",
    // One text, and first: older Gemini models get one function response for each text of a result.
    value: [{ type: "text", text: orNothing(text) }, ...sent.map(filePart)]
  }
}

/** A file that is not in the result is named in its text. */
const elsewhere = ({ fileName, mediaType }: Prompt.FilePart, place: "result" | "message" | "none"): string => {
  const file = `${fileName ?? "a file"} of type ${mediaType}`
  return place === "message"
    ? `[${file} is in the message after the results]`
    : `[${file} was left out: the model's interface takes none]`
}

const textOutput = (isFailure: boolean, text: string): LanguageModelV4ToolResultOutput =>
  isFailure
    ? { type: "error-text", value: `${ERROR_MARK}\n${orNothing(text)}` }
    : { type: "text", value: orNothing(text) }

const resultText = (result: unknown): string => {
  if (result === undefined || result === null) return ""
  return typeof result === "string" ? result : JSON.stringify(result)
}

const orNothing = (text: string): string => text.trim() === "" ? "(no output)" : text.toWellFormed()
