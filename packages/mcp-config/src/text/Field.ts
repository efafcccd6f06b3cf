/**
 * What the value of a key may be: decoders that say in words what they wanted, and never show what they got.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { JsonNode, Place } from "./JsonNode.ts"

/** Something wrong with an entry: where, under which key, what, and what to try. */
export interface Trouble {
  readonly at: Place
  /** The path of the key, for instance `mcpServers.files.timeout`. */
  readonly key: string
  readonly detail: string
  readonly hint: string
}

/** A text as it was written: before expansion, with its place. */
export interface Written {
  readonly text: string
  readonly at: Place
  readonly key: string
}

/** Decodes the value of a key. */
export type Decoder<A> = (node: JsonNode, key: string) => Result.Result<A, Trouble>

/** A text, not empty. */
export const text: Decoder<Written> = (node, key) =>
  node.type === "string" && node.value.trim() !== ""
    ? Result.succeed({ text: node.value, at: node.at, key })
    : wrong(node, key, "a text that is not empty", IN_QUOTES)

/** A list of texts. */
export const texts: Decoder<ReadonlyArray<Written>> = (node, key) =>
  node.type === "array"
    ? Result.all(node.items.map((item, index) => anyText(item, `${key}[${index}]`)))
    : wrong(node, key, "a list of texts", `write "${last(key)}": ["one", "two"]`)

/** Texts by name. */
export const textMap: Decoder<ReadonlyArray<readonly [string, Written]>> = (node, key) =>
  node.type === "object"
    ? Result.all(node.members.map((member) =>
      Result.map(anyText(member.value, member.path ?? `${key}.${member.key}`), (value) => [member.key, value] as const)
    ))
    : wrong(node, key, "an object of texts", `write "${last(key)}": { "NAME": "value" }`)

/** A list of names or patterns; one alone may stand without brackets. */
export const names: Decoder<ReadonlyArray<string>> = (node, key) =>
  node.type === "string"
    ? Result.succeed([node.value])
    : Result.map(texts(node, key), (all) => all.map((written) => written.text))

/** True or false. */
export const flag: Decoder<boolean> = (node, key) =>
  node.type === "boolean" ? Result.succeed(node.value) : wrong(node, key, "true or false", "leave out the quotes")

/** True, false, or a list of patterns. */
export const flagOrNames: Decoder<boolean | ReadonlyArray<string>> = (node, key) =>
  node.type === "boolean" ? Result.succeed(node.value) : names(node, key)

/** True, false, or a list of texts; one alone may stand without brackets. */
export const flagOrTexts: Decoder<boolean | ReadonlyArray<Written>> = (node, key) => {
  if (node.type === "boolean") return Result.succeed(node.value)
  return node.type === "string" ? Result.map(text(node, key), (written) => [written]) : texts(node, key)
}

/** A time longer than nothing: milliseconds as a number, or text that Effect's `Duration` reads. */
export const duration: Decoder<Duration.Duration> = (node, key) => {
  const parsed = node.type === "number" && Number.isFinite(node.value)
    ? Option.some(Duration.millis(node.value))
    : node.type === "string" && isDurationText(node.value)
    ? Duration.fromInput(node.value)
    : Option.none()
  return Option.isSome(parsed) && Duration.isGreaterThan(parsed.value, Duration.zero)
    ? Result.succeed(parsed.value)
    : Result.fail(notDuration(node, key))
}

const notDuration = (node: JsonNode, key: string): Trouble => ({
  at: node.at,
  key,
  detail: "expected a duration such as 30000 or \"30 seconds\"",
  hint: "write milliseconds as a number, or a number and its unit as text; it must be longer than nothing"
})

/** A whole number, 1 at least. */
export const count: Decoder<number> = (node, key) =>
  node.type === "number" && Number.isSafeInteger(node.value) && node.value > 0
    ? Result.succeed(node.value)
    : wrong(node, key, "a whole number, 1 or more", "write a number without quotes; leave the key out for the default")

/** The same, and not more than `most`. */
export const countUpTo = (most: number): Decoder<number> => (node, key) =>
  Result.filterOrFail(count(node, key), (found) => found <= most, () => ({
    at: node.at,
    key,
    detail: `expected a whole number up to ${most}, found a larger one`,
    hint: `write ${most} or less; leave the key out for the default`
  }))

/** One of some words. */
export const choice = <const A extends string>(words: ReadonlyArray<A>): Decoder<A> => (node, key) => {
  const word = words.find((candidate) => node.type === "string" && node.value === candidate)
  const listed = words.map((candidate) => `"${candidate}"`).join(" or ")
  if (word !== undefined) return Result.succeed(word)
  if (node.type !== "string") return wrong(node, key, listed, `write ${listed}`)
  return Result.fail({ at: node.at, key, detail: `expected ${listed}, found another text`, hint: `write ${listed}` })
}

/** What was wanted, and the kind of what is there. */
export const mismatch = (node: JsonNode, key: string, wanted: string, hint: string): Trouble => ({
  at: node.at,
  key,
  detail: `expected ${wanted}, found ${kindOf(node)}`,
  hint
})

const wrong = (node: JsonNode, key: string, wanted: string, hint: string): Result.Result<never, Trouble> =>
  Result.fail(mismatch(node, key, wanted, hint))

const anyText: Decoder<Written> = (node, key) =>
  node.type === "string"
    ? Result.succeed({ text: node.value, at: node.at, key })
    : wrong(node, key, "a text", IN_QUOTES)

const isDurationText = (value: string): value is Duration.Input & string => /^[a-zA-Z0-9. ]+$/.test(value)

const kindOf = (node: JsonNode): string => {
  if (node.type === "null") return "null"
  if (node.type === "string" && node.value.trim() === "") return "an empty text"
  if (node.type === "string") return "a text"
  if (node.type === "boolean") return String(node.value)
  return { object: "an object", array: "a list", number: "a number" }[node.type]
}

const last = (key: string): string => key.slice(key.lastIndexOf(".") + 1)

const IN_QUOTES = "put the value in double quotes"
