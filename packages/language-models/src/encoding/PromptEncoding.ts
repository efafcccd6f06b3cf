/** An `effect/ai` prompt as an AI SDK prompt. */
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"
import type * as Prompt from "effect/ai/Prompt"
import type { ProviderTraits } from "../models/ProviderTraits.ts"
import * as FileEncoding from "./FileEncoding.ts"
import * as ProviderMetadata from "./ProviderMetadata.ts"
import * as ToolParams from "./ToolParams.ts"
import * as ToolResultEncoding from "./ToolResultEncoding.ts"

/**
 * The messages of a prompt in the order they have, with these exceptions: all system messages become one at the front,
 * since Google and many local chat templates allow no other; blank text is left out, since Anthropic refuses it; and so
 * are messages that then hold nothing. Files that may not go into a tool's result follow the results in a user's
 * message. Half a character (a lone surrogate) becomes U+FFFD, since providers refuse the whole request for it.
 * Metadata that providers gave comes back to them.
 */
export const encode = (prompt: Prompt.Prompt, traits: ProviderTraits): LanguageModelV4Prompt => {
  const messages = prompt.content.filter((message) => message.role !== "system").flatMap((message, at, all) =>
    message.role === "tool" && all[at + 1]?.role !== "tool"
      ? [...encodeMessage(message, traits), ...filesMessage(resultsUpTo(all, at), traits)]
      : encodeMessage(message, traits)
  )
  return [...systemMessage(prompt.content), ...messages]
}

/** The results of one answer, which may be in several messages: nothing may stand between them. */
const resultsUpTo = (messages: ReadonlyArray<Prompt.Message>, at: number): ReadonlyArray<Prompt.ToolResultPart> => {
  const before = messages.slice(0, at + 1).findLastIndex(({ role }) => role !== "tool")
  return messages.slice(before + 1, at + 1).flatMap((message) =>
    message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : []
  )
}

const filesMessage = (
  results: ReadonlyArray<Prompt.ToolResultPart>,
  traits: ProviderTraits
): Array<LanguageModelV4Message> => {
  const content = results.flatMap((part) => ToolResultEncoding.apart(part, traits))
  return content.length === 0 ? [] : [{ role: "user", content }]
}

const systemMessage = (messages: ReadonlyArray<Prompt.Message>): LanguageModelV4Prompt => {
  const system = messages.filter((message) => message.role === "system").filter((message) => !isBlank(message.content))
  const [only] = system
  if (only === undefined) return []
  if (system.length === 1) {
    return [{ role: "system", content: only.content.toWellFormed(), ...ProviderMetadata.encode(only.options) }]
  }
  return [{ role: "system", content: system.map((message) => message.content).join("\n\n").toWellFormed() }]
}

const isBlank = (text: string): boolean => text.trim() === ""

const encodeMessage = (message: Prompt.Message, traits: ProviderTraits): Array<LanguageModelV4Message> => {
  const options = ProviderMetadata.encode(message.options)
  switch (message.role) {
    case "system":
      return []
    case "user": {
      const content = message.content.flatMap(userPart)
      return content.length === 0 ? [] : [{ role: "user", content, ...options }]
    }
    case "assistant": {
      const content = message.content.flatMap((part) => assistantPart(part, traits))
      return content.length === 0 ? [] : [{ role: "assistant", content, ...options }]
    }
    case "tool": {
      const content = message.content.flatMap((part) => toolPart(part, traits))
      return content.length === 0 ? [] : [{ role: "tool", content, ...options }]
    }
  }
}

type Content<Role extends LanguageModelV4Message["role"]> = Array<
  Extract<LanguageModelV4Message, { role: Role; content: ReadonlyArray<unknown> }>["content"][number]
>

const userPart = (part: Prompt.UserMessagePart): Content<"user"> => {
  const options = ProviderMetadata.encode(part.options)
  if (part.type === "file") return [{ type: "file", ...FileEncoding.encode(part), ...options }]
  return isBlank(part.text) ? [] : [{ type: "text", text: part.text.toWellFormed(), ...options }]
}

const assistantPart = (part: Prompt.AssistantMessagePart, traits: ProviderTraits): Content<"assistant"> => {
  const options = ProviderMetadata.encode(part.options)
  switch (part.type) {
    case "text":
      // Blank text with metadata may carry a signature (Google).
      return isBlank(part.text) && options.providerOptions === undefined
        ? []
        : [{ type: "text", text: part.text.toWellFormed(), ...options }]
    case "reasoning":
      return [{ type: "reasoning", text: part.text, ...options }]
    case "file":
      return [{ type: "file", ...FileEncoding.encode(part), ...options }]
    case "tool-call":
      return [{
        type: "tool-call",
        toolCallId: part.id,
        toolName: part.name,
        input: ToolParams.encode(part.params),
        ...(part.providerExecuted ? { providerExecuted: true } : {}),
        ...options
      }]
    case "tool-result":
      return [ToolResultEncoding.encode(part, { ...traits, messageMedia: [] })]
    case "tool-approval-request":
      // Approvals are settled between the caller and a person; providers know nothing of them.
      return []
  }
}

const toolPart = (part: Prompt.ToolMessagePart, traits: ProviderTraits): Content<"tool"> =>
  part.type === "tool-result" ? [ToolResultEncoding.encode(part, traits)] : []
