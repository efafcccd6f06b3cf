/**
 * The kinds of values that the keys of an entry take, as codecs. An error says what was wanted and the type of what is
 * there, never its value. They read the nodes themselves: `effect/Schema` takes longer to load than all else that a first
 * server needs (docs/decisions.md).
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { byKey, type JsonNode, type Member, type Place, toValue } from "./JsonNode.ts"

export interface Trouble {
  readonly at: Place
  /** The path of the key, for instance `mcpServers.files.timeout`. */
  readonly key: string
  readonly detail: string
  readonly hint: string
}

/** A text as the file has it, before variables are expanded. */
export interface Written {
  readonly text: string
  readonly at: Place
  readonly key: string
}

export interface Kind<A> {
  readonly decode: (node: JsonNode, key: string) => Result.Result<A, Trouble>
  encode(value: A): Schema.Json
}

interface Words {
  readonly wanted: string
  readonly hint: string
  /** The type that a value has even when it is refused for something else. */
  readonly type?: JsonNode["type"]
}

/** Gives the value, or which node is wrong: that of the key, or one inside it. */
type Read<A> = (node: JsonNode, key: string) => Result.Result<A, Wrong>

interface Wrong {
  readonly node: JsonNode
  readonly key: string
}

/** `inside` is what is wanted of an item. */
const kind = <A>(
  read: Read<A>,
  encode: (value: A) => Schema.Json,
  words: Words,
  inside: Words = TEXT
): Kind<A> => ({
  encode,
  decode: (node, key) =>
    Result.mapError(read(node, key), (wrong) => mismatch(wrong.node, wrong.key, wrong.node === node ? words : inside))
})

/** A kind of values that are written as they are. */
const plain = <A extends Schema.Json>(read: Read<A>, words: Words, inside?: Words): Kind<A> =>
  kind(read, (value) => value, words, inside)

/** A value that one node holds; undefined is wrong. */
const one = <A>(of: (node: JsonNode) => A | undefined): Read<A> => (node, key) => {
  const value = of(node)
  return value === undefined ? Result.fail({ node, key }) : Result.succeed(value)
}

const listOf = <A>(item: Read<A>): Read<ReadonlyArray<A>> => (node, key) =>
  node.type === "array"
    ? Result.all(node.items.map((value, index) => item(value, `${key}[${index}]`)))
    : Result.fail({ node, key })

const mapOf = <A>(item: Read<A>): Read<Readonly<Record<string, A>>> => (node, key) => {
  if (node.type !== "object") return Result.fail({ node, key })
  const read = ({ key: name, path, value }: Member) =>
    Result.map(item(value, path ?? `${key}.${name}`), (found) => [name, found] as const)
  return Result.map(Result.all([...byKey(node.members).values()].map(read)), Object.fromEntries<A>)
}

export const mismatch = (node: JsonNode, key: string, { hint, type, wanted }: Words): Trouble => {
  const found = node.type === type ? typeOf(node).replace(/^a /, "another ") : typeOf(node)
  return { at: node.at, key, detail: `expected ${wanted}, found ${found}`, hint }
}

const typeOf = (node: JsonNode): string => {
  if (node.type === "null") return "null"
  if (node.type === "string") return node.value.trim() === "" ? "an empty text" : "a text"
  if (node.type === "boolean") return String(node.value)
  return { object: "an object", array: "a list", number: "a number" }[node.type]
}

const IN_QUOTES = "put the value in double quotes"
const TEXT: Words = { wanted: "a text", hint: IN_QUOTES }
const TEXTS: Words = { wanted: "a list of texts", hint: "write [\"one\", \"two\"]" }

const anyText = one((node) => node.type === "string" ? node.value : undefined)
const notEmpty = one((node) => node.type === "string" && /\S/.test(node.value) ? node.value : undefined)
const isOn = one((node) => node.type === "boolean" ? node.value : undefined)
const anyTexts = listOf(anyText)

/** One text alone may stand without brackets. */
const anyNames: Read<ReadonlyArray<string>> = (node, key) =>
  node.type === "string" ? Result.succeed([node.value]) : anyTexts(node, key)

/** A text that is not empty. */
export const text = plain(notEmpty, { wanted: "a text that is not empty", hint: IN_QUOTES, type: "string" })

export const texts = plain(anyTexts, TEXTS)

/** Texts by name. */
export const textMap = plain(mapOf(anyText), {
  wanted: "an object of texts",
  hint: "write { \"NAME\": \"value\" }"
})

export const names = plain(anyNames, TEXTS)

/** True or false. */
export const flag = plain(isOn, { wanted: "true or false", hint: "leave out the quotes" })

/** True, false, or a list of names. */
export const flagOrNames = plain<boolean | ReadonlyArray<string>>(
  (node, key) => node.type === "boolean" ? Result.succeed(node.value) : anyNames(node, key),
  TEXTS
)

/** `oauth`: a switch, or an object whose keys are read one by one. */
export const flagOrObject = plain(
  one((node) => node.type === "boolean" || node.type === "object" ? toValue(node) : undefined),
  { wanted: "false, or an object", hint: "write \"oauth\": { \"clientId\": \"…\" }, or leave it out" }
)

const durationOf = (value: number | string): Option.Option<Duration.Duration> => {
  const isText = (input: number | string): input is Duration.Input & string =>
    typeof input === "string" && /^[a-zA-Z0-9. ]+$/.test(input)
  if (typeof value === "number") return Number.isFinite(value) ? Option.some(Duration.millis(value)) : Option.none()
  return isText(value) ? Duration.fromInput(value) : Option.none()
}

const anyDuration = one((node) =>
  node.type === "number" || node.type === "string"
    ? Option.getOrUndefined(Option.filter(durationOf(node.value), Duration.isGreaterThan(Duration.zero)))
    : undefined
)

const millisOf = (value: Duration.Duration) => Duration.isFinite(value) ? Duration.toMillis(value) : "Infinity"

const DURATION: Words = {
  wanted: "a duration such as 30000 or \"30 seconds\"",
  hint: "write milliseconds as a number, or a number and its unit as text; it must be longer than nothing"
}

/** A time longer than nothing: milliseconds, or a text that Effect's `Duration` reads. */
export const duration = kind(anyDuration, millisOf, DURATION)

/** A time, or false for none. */
export const durationOrFalse = kind<Duration.Duration | null>(
  (node, key) => node.type === "boolean" && !node.value ? Result.succeed(null) : anyDuration(node, key),
  (value) => value === null ? false : millisOf(value),
  DURATION
)

const wholeUpTo = (most: number) =>
  one((node) =>
    node.type === "number" && Number.isSafeInteger(node.value) && node.value >= 1 && node.value <= most
      ? node.value
      : undefined
  )

/** A whole number from 1 to `most`. */
export const count = (most = Number.MAX_SAFE_INTEGER): Kind<number> =>
  plain(wholeUpTo(most), {
    wanted: most === Number.MAX_SAFE_INTEGER ? "a whole number, 1 or more" : `a whole number from 1 to ${most}`,
    hint: "write a number without quotes; leave the key out for the default",
    type: "number"
  })

export const port = plain(wholeUpTo(65_535), {
  wanted: "a port from 1 to 65535",
  hint: "write a number such as 8123",
  type: "number"
})

const wordsOf = (words: ReadonlyArray<string>): Words => {
  const wanted = words.map((word) => `"${word}"`).join(" or ")
  return { wanted, hint: `write ${wanted}`, type: "string" }
}

const oneOf = <A extends string>(words: ReadonlyArray<A>): Read<A> =>
  one((node) => node.type === "string" ? words.find((word) => word === node.value) : undefined)

/** One of some words. */
export const choice = <const A extends string>(words: ReadonlyArray<A>): Kind<A> => plain(oneOf(words), wordsOf(words))

/** One of some words, by name. */
export const choiceMap = <const A extends string>(words: ReadonlyArray<A>): Kind<Readonly<Record<string, A>>> =>
  plain<Readonly<Record<string, A>>>(
    mapOf(oneOf(words)),
    { wanted: "an object of words by name", hint: `write { "NAME": "${words[0]}" }` },
    wordsOf(words)
  )

type Target =
  & Readonly<Record<"path" | "read", string>>
  & { readonly write?: string; readonly content?: string; readonly file?: boolean }

/** Where a key of it is wrong, the whole is. */
const target: Read<Target> = (node, key) => {
  const keys = node.type === "object" ? byKey(node.members) : new Map<string, Member>()
  /** Undefined where it is not there, null where it is wrong. */
  const get = <A>(name: string, read: Read<A>): A | null | undefined => {
    const member = keys.get(name)
    return member === undefined ? undefined : Result.getOrNull(read(member.value, name))
  }
  const [path, read, write, content] = ["path", "read", "write", "content"].map((name) => get(name, notEmpty))
  const file = get("file", isOn)
  const isWrong = write === null || content === null || file === null
  if (typeof path !== "string" || typeof read !== "string" || isWrong) return Result.fail({ node, key })
  return Result.succeed({
    path,
    read,
    ...write && { write },
    ...content && { content },
    ...file !== undefined && { file }
  })
}

const TARGET = "{ \"path\": \"path\", \"read\": \"read_text_file\" }"

/** `targets`: how to see what tools would replace, by name. */
export const targetMap = plain(
  mapOf(target),
  { wanted: "an object of targets by tool", hint: `write { "write_file": ${TARGET} }` },
  { wanted: "an object with \"path\" and \"read\"", hint: `write ${TARGET}` }
)
