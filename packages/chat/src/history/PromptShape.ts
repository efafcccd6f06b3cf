/** The messages of `effect/ai`: results are parts of a tool message. */
import * as Prompt from "effect/ai/Prompt"
import { isBlank, MISSING_RESULT, type Piece, type Role, type Shape } from "./MessageShape.ts"

export const promptShape: Shape<Prompt.Message, Prompt.Part> = {
  role: (message): Role => {
    if (message.role === "system") return isBlank(message.content) ? "empty" : "other"
    return message.role === "tool" ? "results" : message.role
  },
  parts: (message) => message.role === "system" ? [] : message.content,
  piece: (part) => piece(part),
  withParts: (message, parts) => withParts(message, parts),
  // Language models get whatever the arguments are as an object.
  call: (part, id) => part.type === "tool-call" ? Prompt.toolCallPart({ ...part, id }) : part,
  apart: {
    carries: "results",
    carrier: (results) => Prompt.toolMessage({ content: results.filter(isOfTool) }),
    missing: ({ id, name }) =>
      Prompt.toolResultPart({ id, name, isFailure: true, result: MISSING_RESULT, providerExecuted: false }),
    result: (part, id) => part.type === "tool-result" ? Prompt.toolResultPart({ ...part, id }) : part
  },
  user: (text) => Prompt.userMessage({ content: [Prompt.textPart({ text })] }),
  join: (first, second) =>
    first.role === "user" && second.role === "user"
      ? Prompt.userMessage({ ...first, content: [...first.content, ...second.content] })
      : second
}

const piece = (part: Prompt.Part): Piece => {
  switch (part.type) {
    case "text":
      // Blank text with metadata may carry a signature.
      return { type: isBlank(part.text) && Object.keys(part.options).length === 0 ? "blank" : "said" }
    case "reasoning":
      return { type: "thought" }
    case "tool-call":
      return part.providerExecuted
        ? { type: "said" }
        : { type: "call", id: part.id, name: part.name, result: "apart", isSound: true }
    case "tool-result":
      return part.providerExecuted ? { type: "said" } : { type: "result", id: part.id }
    default:
      return { type: "said" }
  }
}

const withParts = (message: Prompt.Message, parts: ReadonlyArray<Prompt.Part>): Prompt.Message => {
  switch (message.role) {
    case "system":
      return message
    case "user":
      return Prompt.userMessage({ ...message, content: parts.filter(isOfUser) })
    case "assistant":
      return Prompt.assistantMessage({ ...message, content: parts.filter(isOfAssistant) })
    case "tool":
      return Prompt.toolMessage({ ...message, content: parts.filter(isOfTool) })
  }
}

const isOfUser = (part: Prompt.Part): part is Prompt.UserMessagePart => part.type === "text" || part.type === "file"

const isOfTool = (part: Prompt.Part): part is Prompt.ToolMessagePart =>
  part.type === "tool-result" || part.type === "tool-approval-response"

const isOfAssistant = (part: Prompt.Part): part is Prompt.AssistantMessagePart => part.type !== "tool-approval-response"
