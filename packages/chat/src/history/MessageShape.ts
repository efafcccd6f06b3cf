/** One shape of messages, as the repair of a history sees it. */
import * as Predicate from "effect/Predicate"

/** The role of a message in the repair. `results` holds tool results alone; an `empty` message is left out. */
export type Role = "user" | "assistant" | "results" | "other" | "empty"

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
  readonly user: (text: string, beside: Message, place: "before" | "after") => Message
  /** Two messages of the user as one; null where providers take them as they are. */
  readonly join: ((first: Message, second: Message) => Message) | null
}

/** The arguments of a call as an object, as language-models sends them too. */
export const argumentsOf = (value: unknown): object => {
  if (Predicate.isObject(value)) return value
  return value === undefined || value === null || value === "" ? {} : { rawInvalidInput: value }
}

/** Anthropic refuses text of white space alone, in every request that repeats it. */
export const isBlank = (text: string): boolean => text.trim() === ""

export const textField = (value: object, field: string): string | null => {
  const text: unknown = Reflect.get(value, field)
  return typeof text === "string" ? text : null
}

/** Stands in place of a result that never came. */
export const MISSING_RESULT = "This call has no result: it was interrupted before it finished."

/** Stands in place of the result of a call that was never approved. */
export const NOT_APPROVED = "This call was not run: nobody said whether it may."
