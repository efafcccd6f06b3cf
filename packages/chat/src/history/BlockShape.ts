/**
 * Messages of content blocks: `tool_use` of the assistant, `tool_result` in the user's message directly after it.
 */
import { MISSING_RESULT } from "./MissingResult.ts"
import { argumentsOf, isBlank, isObject, type Piece, type Role, type Shape, textField } from "./Shape.ts"

/** A content block; fields other than the type are read as they are needed. @category models */
export interface Block {
  readonly type: string
}

/** A message of content blocks. @category models */
export interface BlockMessage<B extends Block = Block> {
  readonly role: string
  readonly content: string | ReadonlyArray<B>
}

/** A block that the repair makes. @category models */
export type MadeBlock =
  | { readonly type: "text"; readonly text: string }
  | {
    readonly type: "tool_result"
    readonly tool_use_id: string
    readonly content: string
    readonly is_error: boolean
  }

/** A message that the repair makes or changes; every field of a changed one that is not named here stays. @category models */
export interface MadeBlockMessage<B extends Block, R extends string> {
  readonly role: R | "user"
  content: Array<B | MadeBlock>
}

/** @category constructors */
export const make = <B extends Block, M extends BlockMessage>(): Shape<
  (M & BlockMessage<B>) | MadeBlockMessage<B, M["role"]>,
  B | MadeBlock
> => ({
  role: ({ role }) => roleOf(role),
  parts: ({ content }) => typeof content === "string" ? [{ type: "text", text: content }] : content,
  piece: (part) => piece(part),
  withParts: (message, parts) => ({ ...message, content: [...parts] }),
  call: (part, id) => ({ ...part, id, input: argumentsOf(Reflect.get(part, "input")) }),
  apart: {
    carries: "user",
    carrier: (results) => ({ role: "user", content: [...results] }),
    missing: ({ id }) => ({ type: "tool_result", tool_use_id: id, content: MISSING_RESULT, is_error: true }),
    result: (part, id) => ({ ...part, tool_use_id: id })
  },
  user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  join: null
})

const roleOf = (role: string): Role => role === "user" || role === "assistant" ? role : "other"

const piece = (block: Block): Piece => {
  switch (block.type) {
    case "text":
      return { type: isBlank(textField(block, "text") ?? "") ? "blank" : "said" }
    case "thinking":
    case "redacted_thinking":
      return { type: "thought" }
    case "tool_use": {
      const isSound = isObject(Reflect.get(block, "input"))
      const id = textField(block, "id") ?? ""
      return { type: "call", id, name: textField(block, "name") ?? "", result: "apart", isSound }
    }
    case "tool_result":
      return { type: "result", id: textField(block, "tool_use_id") ?? "" }
    default:
      return { type: "said" }
  }
}
