/** Matches results with calls, and gives each call an id of its own. */
import * as Prompt from "effect/ai/Prompt"

/** A part at its place. */
export interface Item<Part> {
  /** The index of its message. */
  readonly at: number
  readonly part: Part
  readonly piece: Piece
}

/** A call and what became of it. */
export interface Matched<Part> {
  /** Its own; a later call of a taken id gets another one, since Anthropic wants ids unique in the whole history. */
  readonly id: string
  readonly name: string
  readonly result: Item<Part> | null
}

/** The calls that stay, and the results that they claim. */
export interface Matches<Part> {
  readonly calls: ReadonlyMap<Item<Part>, Matched<Part>>
  readonly claimed: ReadonlySet<Item<Part>>
}

/** The parts of each message at their places. */
export const itemsOf = <Message, Part>(
  shape: Shape<Message, Part>,
  messages: ReadonlyArray<Message>
): ReadonlyArray<ReadonlyArray<Item<Part>>> =>
  messages.map((message, at) => {
    const isAssistant = shape.role(message) === "assistant"
    const parts = shape.parts(message)
    const words = parts.findLastIndex((part) => shape.piece(part, true).type !== "call")
    return parts.map((part, index) => {
      const piece = shape.piece(part, at === messages.length - 1 && index > words)
      // A call in a message of another role is no call.
      return { at, part, piece: isAssistant || piece.type !== "call" ? piece : SAID }
    })
  })

const SAID: Piece = { type: "said" }

/**
 * Matches calls and results. A result belongs to the last call of its id in front of it; where there is none, to the
 * first one behind it. The first of several results counts. One of several calls of an id in one message stays: the
 * first that holds its result, or else the first.
 */
export const match = <Part>(items: ReadonlyArray<Item<Part>>): Matches<Part> => {
  const results = Map.groupBy(items.filter(({ piece }) => piece.type === "result"), idOf)
  const byId = Map.groupBy(items.filter(({ piece }) => piece.type === "call"), idOf)
  const taken = new Set(byId.keys())
  const calls = new Map<Item<Part>, Matched<Part>>()
  for (const [id, all] of byId) {
    const ofId = [...Map.groupBy(all, ({ at }) => at).values()].flatMap((same) =>
      same.find(holdsResult) ?? same[0] ?? []
    )
    for (const [index, call] of ofId.entries()) {
      const end = ofId[index + 1]?.at ?? Infinity
      const own = (results.get(id) ?? []).filter(({ at }) => at < end && (index === 0 || at >= call.at))
      const result = own.find(({ at }) => at >= call.at) ?? own[0] ?? null
      calls.set(call, { id: index === 0 ? id : freeId(taken, id), name: nameOf(call), result })
    }
  }
  return { calls, claimed: new Set([...calls.values()].flatMap(({ result }) => result ?? [])) }
}

const holdsResult = <Part>({ piece }: Item<Part>): boolean => piece.type === "call" && piece.result === "within"

const idOf = <Part>({ piece }: Item<Part>): string => piece.type === "call" || piece.type === "result" ? piece.id : ""

const nameOf = <Part>({ piece }: Item<Part>): string => piece.type === "call" ? piece.name : ""

/** The id, or the next one behind it that is not taken, and takes it. */
export const freeId = (taken: Set<string>, id: string): string => {
  let own = id
  for (let count = 2; taken.has(own); count++) own = `${id}_${count}`
  taken.add(own)
  return own
}

/** Stands in place of a result that never came. */
export const MISSING_RESULT = "This call has no result: it was interrupted before it finished."

/** Stands in place of the result of a call that was never approved. */
export const NOT_APPROVED = "This call was not run: nobody said whether it may."

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

/** The role of a message in the repair. `results` holds tool results alone; an `empty` message is left out. */
export type Role = "user" | "assistant" | "results" | "other" | "empty"

/** The kind of a part in the repair. */
export type Piece =
  | {
    readonly type: "call"
    readonly id: string
    readonly name: string
    /** Whether its result is a part elsewhere, is in this part, or should be in this part and is not. */
    readonly result: "apart" | "within" | "open"
    /** False when its arguments are no object, which providers refuse. */
    readonly isSound: boolean
  }
  | { readonly type: "result"; readonly id: string }
  /** A `thought` is reasoning, a `mark` is nothing that a model reads. */
  | { readonly type: "said" | "thought" | "blank" | "mark" }

/** One call, as a result of it is made. */
export interface Called {
  readonly id: string
  readonly name: string
}

/** How results are carried where they are parts of their own. */
export interface Apart<Message, Part> {
  /** The role of a message that may carry them. */
  readonly carries: Role
  readonly carrier: (results: ReadonlyArray<Part>) => Message
  /** The error result of a call that has none. */
  readonly missing: (call: Called) => Part
  readonly result: (part: Part, id: string) => Part
}

/** One shape of messages; every function is pure and leaves fields alone that it does not know. */
export interface Shape<Message, Part> {
  readonly role: (message: Message) => Role
  readonly parts: (message: Message) => ReadonlyArray<Part>
  /** `isAtEnd` when nothing but calls follows in the whole history. */
  readonly piece: (part: Part, isAtEnd: boolean) => Piece
  readonly withParts: (message: Message, parts: ReadonlyArray<Part>) => Message
  /** A call made sound: under this id, its arguments an object, and answered where its result belongs into it. */
  readonly call: (part: Part, id: string) => Part
  /** Null where a result is always a part of its call. */
  readonly apart: Apart<Message, Part> | null
  /** A message of the user, next to another message. */
  readonly user: (text: string, beside: Message, place: "before" | "after") => Message
  /** Two messages of the user as one; null where providers take them as they are. */
  readonly join: ((first: Message, second: Message) => Message) | null
}

/** The arguments of a call as an object, as language-models sends them too. */
export const argumentsOf = (value: unknown): object => {
  if (isObject(value)) return value
  return value === undefined || value === null || value === "" ? {} : { rawInvalidInput: value }
}

export const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Anthropic refuses text of white space alone, in every request that repeats it. */
export const isBlank = (text: string): boolean => text.trim() === ""

/** A field of a foreign object, where it is text. */
export const textField = (value: object, field: string): string | null => {
  const text: unknown = Reflect.get(value, field)
  return typeof text === "string" ? text : null
}
