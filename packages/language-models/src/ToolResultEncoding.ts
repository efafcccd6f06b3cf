/**
 * The result of a tool call as an AI SDK tool result.
 */
import type { LanguageModelV4ToolResultOutput, LanguageModelV4ToolResultPart } from "@ai-sdk/provider"
import type * as Prompt from "effect/ai/Prompt"
import * as FileEncoding from "./FileEncoding.ts"
import * as ProviderMetadata from "./ProviderMetadata.ts"
import type { ProviderTraits } from "./ProviderTraits.ts"

/**
 * A result as text, or as one text and files where the provider takes them. `modelOutput` goes before `result`. What is
 * not text is JSON; a failure is marked as an error where the provider has a mark for it; blank text reads
 * `(no output)`, since empty results are refused.
 *
 * @category encoding
 */
export const encode = (part: Prompt.ToolResultPart, traits: ProviderTraits): LanguageModelV4ToolResultPart => ({
  type: "tool-result",
  toolCallId: part.id,
  toolName: part.name,
  output: encodeOutput(part, traits),
  ...ProviderMetadata.encode(part.options)
})

const encodeOutput = (part: Prompt.ToolResultPart, traits: ProviderTraits): LanguageModelV4ToolResultOutput => {
  if (part.modelOutput === undefined) return textOutput(part.isFailure, resultText(part.result))
  const files = part.isFailure ? [] : part.modelOutput.filter((item) => item.type === "file")
  const sent = files.filter((file) => traits.resultMedia.includes(file.mediaType.toLowerCase()))
  const text = part.modelOutput.flatMap((item) => {
    if (item.type === "text") return item.text
    return sent.includes(item) ? [] : leftOut(item)
  }).join("\n")
  if (sent.length === 0) return textOutput(part.isFailure, text)
  return {
    type: "content",
    // One text, and first: older Gemini models get one function response for each text of a result.
    value: [
      { type: "text", text: orNothing(text) },
      ...sent.map((file) => ({ type: "file" as const, ...FileEncoding.encode(file) }))
    ]
  }
}

/** What cannot be sent as a file is named in the text, with the reason. */
const leftOut = ({ fileName, mediaType }: Prompt.FilePart): string =>
  `[${fileName ?? "a file"} of type ${mediaType} was left out: the model's interface takes none in a tool's result]`

const textOutput = (isFailure: boolean, text: string): LanguageModelV4ToolResultOutput => ({
  type: isFailure ? "error-text" : "text",
  value: orNothing(text)
})

const resultText = (result: unknown): string => {
  if (result === undefined || result === null) return ""
  return typeof result === "string" ? result : JSON.stringify(result)
}

const orNothing = (text: string): string => text.trim() === "" ? "(no output)" : text.toWellFormed()
