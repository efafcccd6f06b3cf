/** TOML texts: written anew, or changed so that comments, order and layout stay. */
import { parse, patch, stringify } from "@decimalturn/toml-patch"
import * as Equal from "effect/Equal"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** A server's own values stand in a section of their own, and maps within it in braces. */
const SECTIONS = { inlineTableStart: 2 }

/** Writes a value. Fails when TOML has no way to write it, such as half of a surrogate pair. Never throws. */
export const print = (value: Schema.JsonObject): Result.Result<string, null> =>
  Result.try({ try: () => stringify(value, SECTIONS), catch: () => null })

/** Sets members of the table under a path of a text that is TOML. Fails when that cannot be written. Never throws. */
export const set = (
  text: string,
  path: ReadonlyArray<string>,
  members: ReadonlyArray<readonly [string, Schema.Json]>
): Result.Result<string, null> =>
  Result.map(
    patched(text, path, (table) => ({ ...table, ...Object.fromEntries(members) })),
    (patched) => appended(text, path, members, patched) ?? patched
  )

/** New tables as sections at the end, as people write them; null where they would mean something else there. */
const appended = (
  text: string,
  path: ReadonlyArray<string>,
  members: ReadonlyArray<readonly [string, Schema.Json]>,
  wanted: string
): string | null => {
  const whole = path.reduceRight<Schema.JsonObject>((inner, key) => ({ [key]: inner }), Object.fromEntries(members))
  const eol = text.includes("\r\n") ? "\r\n" : "\n"
  const sections = Result.getOrNull(print(whole))?.replace(/^\[[^\]]*\]\n+(?=\[)/, "").replaceAll("\n", eol) ?? ""
  const isSections = sections.startsWith("[") && text.trim() !== ""
  const longer = `${text.trimEnd()}${eol}${eol}${sections}`
  const isSame = Result.try(() => Equal.equals(parse(longer), parse(wanted)))
  return isSections && Result.getOrElse(isSame, () => false) ? longer : null
}

/** Removes a member of the table under a path. Fails when that cannot be written. Never throws. */
export const remove = (text: string, path: ReadonlyArray<string>, key: string): Result.Result<string, null> =>
  patched(text, path, ({ [key]: _, ...rest }) => rest)

type Table = Readonly<Record<string, unknown>>

const patched = (
  text: string,
  path: ReadonlyArray<string>,
  change: (table: Table) => Table
): Result.Result<string, null> =>
  Result.try({ try: () => patch(text, changed(parse(text), path, change), SECTIONS), catch: () => null })

const changed = (value: unknown, path: ReadonlyArray<string>, change: (table: Table) => Table): Table => {
  const table: Table = Predicate.isObject(value) ? value : {}
  const [first, ...rest] = path
  return first === undefined ? change(table) : { ...table, [first]: changed(table[first], rest, change) }
}
