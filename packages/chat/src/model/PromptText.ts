/** A prompt that a server filled in: its messages, and all of it as the text of one message. Pure. */
import type { PromptResult } from "@boocode/mcp-registry"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { PromptMessage } from "./Chat.ts"

/** A prompt with what is made of it here. */
export interface Filled extends PromptResult {
  readonly said: ReadonlyArray<PromptMessage>
  readonly text: string
}

/** The prompt with `said`, its messages as text, and `text`, all of them as one. */
export const filled = (result: PromptResult): Filled => {
  const said = saidIn(result)
  return { ...result, said, text: of(said) }
}

/** Content that is no text is named in brackets; blank messages are left out. */
const saidIn = ({ messages, truncated }: PromptResult): ReadonlyArray<PromptMessage> => {
  const said = messages.map(({ content, role }) => ({ role, text: blockText(content) }))
    .filter(({ text }) => text.trim() !== "")
  if (truncated === null) return said
  const cut = `[cut: ${truncated.shownBytes} of ${truncated.bytes} bytes]`
  const last = said.at(-1) ?? { role: "user", text: "" }
  return [...said.slice(0, -1), { ...last, text: last.text === "" ? cut : `${last.text}\n\n${cut}` }]
}

/**
 * All messages as one text. Where a server wrote the other side of the conversation too, each message is led by whose
 * it is.
 */
export const of = (said: ReadonlyArray<PromptMessage>): string => {
  const isMonologue = said.every(({ role }) => role === "user")
  return said.map(({ role, text }) => isMonologue ? text : `${LABELS[role]}:\n${text}`).join("\n\n")
}

/** The messages, when both sides speak in them and the text is theirs: what a person sees is what models read. */
export const kept = (
  said: ReadonlyArray<PromptMessage> | null | undefined,
  text: string
): ReadonlyArray<PromptMessage> | null =>
  said?.some(({ role }) => role === "assistant") === true && of(said).trim() === text.trim() ? said : null

const LABELS = { user: "User", assistant: "Assistant" }

const blockText = (block: Schema.JsonObject): string => {
  const { resource, text, type } = block
  if (type === "text") return textOf(text)
  if (type === "resource" && isObject(resource)) return resourceText(resource)
  if (type === "resource_link") return `[resource ${textOf(block["uri"])}]`
  const media = textOf(block["mimeType"])
  return `[${textOf(type) || "part"}${media === "" ? "" : ` ${media}`}${sizeOf(block["data"])}]`
}

const resourceText = (resource: Schema.JsonObject): string => {
  const name = `[resource ${textOf(resource["uri"])}]`
  return typeof resource["text"] === "string" ? `${name}\n${resource["text"]}` : `${name}${sizeOf(resource["blob"])}`
}

const sizeOf = (data: Schema.Json | undefined): string => {
  if (typeof data !== "string") return ""
  return Result.match(Base64.decode(data), { onFailure: () => "", onSuccess: ({ length }) => `, ${length} bytes` })
}

const textOf = (value: Schema.Json | undefined): string => typeof value === "string" ? value : ""

const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
