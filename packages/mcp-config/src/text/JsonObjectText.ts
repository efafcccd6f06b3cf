/** A JSON object as a person writes it, comments included: read, and changed key by key while all else stays as written. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as JsonEdit from "./JsonEdit.ts"
import * as JsonNode from "./JsonNode.ts"

/** Why a text is no object. Line and column start at 1. */
export type Fault = JsonNode.Fault

/** Whether a JSON value is an object. */
export const isObject = (value: Schema.Json): value is Schema.JsonObject => Predicate.isObject(value)

/** The object of a text; a text without anything in it is an empty one. Comments and trailing commas are accepted. */
export const read = (text: string): Result.Result<Schema.JsonObject, Fault> => {
  if (text.trim() === "") return Result.succeed({})
  return Result.flatMap(JsonNode.parse(text), (node) => {
    const value = JsonNode.toValue(node)
    return isObject(value)
      ? Result.succeed(value)
      : Result.fail({ ...node.at, detail: "expected an object" })
  })
}

/** Sets each key to its value; null removes the key. Fails when the text is no object. */
export const change = (text: string, values: Schema.JsonObject): Result.Result<string, Fault> =>
  Result.map(read(text), () => {
    const mark = text.startsWith("\uFEFF") ? "\uFEFF" : ""
    const body = text.slice(mark.length)
    const start = body.trim() === "" ? `{}${JsonEdit.eolOf(body)}` : body
    const all = Object.entries(values)
    const gone = all.filter(([, value]) => value === null)
    const kept = gone.reduce((left, [key]) => JsonEdit.remove(left, [], key), start)
    return mark + JsonEdit.set(kept, [], all.filter(([, value]) => value !== null), 2)
  })

/**
 * Sets members of the object that stands under `key`, which is made where there is none; null removes a member. Fails when
 * the text is no object.
 */
export const changeIn = (text: string, key: string, values: Schema.JsonObject): Result.Result<string, Fault> =>
  Result.flatMap(read(text), (before) => {
    const there = before[key]
    const isThere = Predicate.isObject(there)
    const all = Object.entries(values)
    const set = all.filter(([, value]) => value !== null)
    if (!isThere) return set.length === 0 ? Result.succeed(text) : change(text, { [key]: Object.fromEntries(set) })
    const mark = text.startsWith("\uFEFF") ? "\uFEFF" : ""
    const gone = all.filter(([, value]) => value === null)
    const left = gone.reduce((body, [name]) => JsonEdit.remove(body, [key], name), text.slice(mark.length))
    return Result.succeed(mark + JsonEdit.set(left, [key], set, 1))
  })

/** Tells the compiler that it is an object. */
