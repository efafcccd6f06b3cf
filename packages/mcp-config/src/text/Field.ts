/**
 * The kinds of values that the keys of an entry take, as codecs. An error says what was wanted and the type of what is
 * there, never its value. Loaded with the first entry: `effect/Schema` takes longer to load than the rest of this package.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { byKey, type JsonNode, type Place, toValue } from "./JsonNode.ts"

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

/** `inside` is what is wanted of an item. */
const kind = <A>(schema: Schema.Codec<A, Schema.Json>, words: Words, inside: Words = TEXT): Kind<A> => {
  const decode = Schema.decodeUnknownResult(schema)
  return {
    encode: Schema.encodeSync(schema),
    decode: (node, key) =>
      Result.mapError(decode(toValue(node)), ({ issue }) => {
        const [first] = SchemaIssue.makeFormatterStandardSchemaV1()(issue).issues
        const [step] = first?.path ?? []
        const item = typeof step === "string" || typeof step === "number" ? itemAt(node, key, `${step}`) : undefined
        return item === undefined ? mismatch(node, key, words) : mismatch(item.node, item.key, inside)
      })
  }
}

const itemAt = (node: JsonNode, key: string, step: string) => {
  if (node.type === "array") return { node: node.items[Number(step)] ?? node, key: `${key}[${step}]` }
  const member = node.type === "object" ? byKey(node.members).get(step) : undefined
  return member === undefined ? undefined : { node: member.value, key: member.path ?? `${key}.${step}` }
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

const NotEmpty = Schema.String.check(Schema.isPattern(/\S/))
const Texts = Schema.Array(Schema.String)
/** One text alone may stand without brackets. */
const Names = Schema.Union([Schema.String, Texts]).pipe(
  Schema.decodeTo(
    Texts,
    SchemaTransformation.transform<ReadonlyArray<string>, string | ReadonlyArray<string>>({
      decode: (value) => typeof value === "string" ? [value] : value,
      encode: (value) => value
    })
  )
)

/** A text that is not empty. */
export const text = kind(NotEmpty, { wanted: "a text that is not empty", hint: IN_QUOTES, type: "string" })

export const texts = kind(Texts, TEXTS)

/** Texts by name. */
export const textMap = kind(Schema.Record(Schema.String, Schema.String), {
  wanted: "an object of texts",
  hint: "write { \"NAME\": \"value\" }"
})

export const names = kind(Names, TEXTS)

/** True or false. */
export const flag = kind(Schema.Boolean, { wanted: "true or false", hint: "leave out the quotes" })

/** True, false, or a list of names. */
export const flagOrNames = kind(Schema.Union([Schema.Boolean, Names]), TEXTS)

/** `oauth`: a switch, or an object whose keys are read one by one. */
export const flagOrObject = kind(Schema.Union([Schema.Boolean, Schema.Record(Schema.String, Schema.Json)]), {
  wanted: "false, or an object",
  hint: "write \"oauth\": { \"clientId\": \"…\" }, or leave it out"
})

const durationOf = (value: number | string): Option.Option<Duration.Duration> => {
  const isText = (input: number | string): input is Duration.Input & string =>
    typeof input === "string" && /^[a-zA-Z0-9. ]+$/.test(input)
  if (typeof value === "number") return Option.some(Duration.millis(value))
  return isText(value) ? Duration.fromInput(value) : Option.none()
}

const DurationValue = Schema.Union([Schema.Finite, Schema.String]).check(
  Schema.makeFilter((value) => Option.exists(durationOf(value), Duration.isGreaterThan(Duration.zero)))
).pipe(
  Schema.decodeTo(
    Schema.Duration,
    SchemaTransformation.transform<Duration.Duration, number | string>({
      decode: (value) => Option.getOrElse(durationOf(value), () => Duration.zero),
      encode: (value) => Duration.isFinite(value) ? Duration.toMillis(value) : "Infinity"
    })
  )
)

const DURATION: Words = {
  wanted: "a duration such as 30000 or \"30 seconds\"",
  hint: "write milliseconds as a number, or a number and its unit as text; it must be longer than nothing"
}

/** A time longer than nothing: milliseconds, or a text that Effect's `Duration` reads. */
export const duration = kind(DurationValue, DURATION)

/** A time, or false for none. */
export const durationOrFalse = kind(
  Schema.Union([
    DurationValue,
    Schema.Literal(false).pipe(
      Schema.decodeTo(Schema.Null, SchemaTransformation.transform({ decode: () => null, encode: () => false as const }))
    )
  ]),
  DURATION
)

/** A whole number from 1 to `most`. */
export const count = (most = Number.MAX_SAFE_INTEGER): Kind<number> =>
  kind(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most })), {
    wanted: most === Number.MAX_SAFE_INTEGER ? "a whole number, 1 or more" : `a whole number from 1 to ${most}`,
    hint: "write a number without quotes; leave the key out for the default",
    type: "number"
  })

export const port = kind(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })), {
  wanted: "a port from 1 to 65535",
  hint: "write a number such as 8123",
  type: "number"
})

const wordsOf = (words: ReadonlyArray<string>): Words => {
  const wanted = words.map((word) => `"${word}"`).join(" or ")
  return { wanted, hint: `write ${wanted}`, type: "string" }
}

/** One of some words. */
export const choice = <const A extends string>(words: ReadonlyArray<A>): Kind<A> =>
  kind<A>(Schema.Literals(words), wordsOf(words))

/** One of some words, by name. */
export const choiceMap = <const A extends string>(words: ReadonlyArray<A>): Kind<Readonly<Record<string, A>>> =>
  kind<Readonly<Record<string, A>>>(
    Schema.Record(Schema.String, Schema.Literals(words)),
    { wanted: "an object of words by name", hint: `write { "NAME": "${words[0]}" }` },
    wordsOf(words)
  )

const Target = Schema.Struct({
  path: NotEmpty,
  read: NotEmpty,
  write: Schema.optionalKey(NotEmpty),
  content: Schema.optionalKey(NotEmpty),
  file: Schema.optionalKey(Schema.Boolean)
})

const TARGET = "{ \"path\": \"path\", \"read\": \"read_text_file\" }"

/** `targets`: how to see what tools would replace, by name. */
export const targetMap = kind(
  Schema.Record(Schema.String, Target),
  { wanted: "an object of targets by tool", hint: `write { "write_file": ${TARGET} }` },
  { wanted: "an object with \"path\" and \"read\"", hint: `write ${TARGET}` }
)
