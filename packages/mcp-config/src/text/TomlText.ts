/** TOML texts: written anew, or changed so that comments, order and layout stay. */
import { parse, patch, stringify } from "@decimalturn/toml-patch"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** A server's own values stand in a section of their own, and maps within it in braces. */
const SECTIONS = { inlineTableStart: 2 }

/** Writes a value. Fails when TOML has no way to write it, such as half of a surrogate pair. Never throws. */
export const print = (value: Schema.JsonObject): Result.Result<string, null> =>
  Result.try({ try: () => stringify(value, SECTIONS), catch: () => null })

/** Sets members of the table at a key of a text that is TOML. Fails when that cannot be written. Never throws. */
export const set = (
  text: string,
  key: string,
  members: ReadonlyArray<readonly [string, Schema.JsonObject]>
): Result.Result<string, null> => Result.try({ try: () => patched(text, key, members), catch: () => null })

const patched = (
  text: string,
  key: string,
  members: ReadonlyArray<readonly [string, Schema.JsonObject]>
): string => {
  const before: unknown = parse(text)
  const root = Predicate.isObject(before) ? before : {}
  const table = key in root && Predicate.isObject(root[key]) ? root[key] : {}
  return patch(text, { ...root, [key]: { ...table, ...Object.fromEntries(members) } }, SECTIONS)
}
