/**
 * What was seen of big answers in the text in which they came: how large they are, and that nothing in them needs cleaning.
 * To find that out again takes as long as to read them.
 */
import type * as Schema from "effect/Schema"
import * as JsonRpc from "./JsonRpc.ts"

/** What comes in so many characters is not big, and nothing of it is noted. */
export const BIG = 16 * 1024

const sizes = new WeakMap<Schema.JsonObject, number>()
const plain = new WeakSet<object>()

/**
 * Notes the result of a message, with the text in which it came. Where each of its characters took one byte, only a DEL and
 * what is written as an escape can be anything to remove, for JSON has no control characters.
 */
export const note = (result: Schema.Json | undefined, text: string, isNarrow: boolean): void => {
  if (text.length <= BIG || !JsonRpc.isObject(result)) return
  sizes.set(result, text.length)
  if (isNarrow && !SUSPECT.test(text)) plain.add(result)
}

/** Notes a list that was made of plain results only. */
export const notePlain = (list: ReadonlyArray<Schema.JsonObject>): void => {
  plain.add(list)
}

/** Whether a result, or a list, is known to have no text that needs cleaning. */
export const isPlain = (value: Schema.JsonObject | ReadonlyArray<Schema.JsonObject>): boolean => plain.has(value)

/** In how many characters a result came, with all that came in the same text; 0 where it is not big. */
export const charactersOf = (result: Schema.JsonObject): number => sizes.get(result) ?? 0

/** An escaped tab or newline stays as it is. */
const SUSPECT = /\u007F|\\[bfru]/
