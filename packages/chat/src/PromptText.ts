/**
 * A prompt that a server filled in, as the text of one message. Pure.
 */
import type { PromptResult } from "@boocode/mcp-registry"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/**
 * All messages as one text. Where a server wrote the other side of the conversation too, each message is led by whose it
 * is. What is no text is named in brackets.
 *
 * @category rendering
 */
export const of = ({ messages, truncated }: PromptResult): string => {
  const isMonologue = messages.every(({ role }) => role === "user")
  const said = messages.map(({ content, role }) => {
    const text = blockText(content)
    return isMonologue ? text : `${LABELS[role]}:\n${text}`
  })
  const cut = truncated === null ? [] : [`[cut: ${truncated.shownBytes} of ${truncated.bytes} bytes]`]
  return [...said.filter((text) => text.trim() !== ""), ...cut].join("\n\n")
}

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
