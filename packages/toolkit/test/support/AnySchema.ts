/**
 * Schemas and values of every shape, sound and hostile, from a list of numbers: each number is one choice, and a list
 * that ends goes on with zeros, so that a shorter list is a simpler schema.
 */
import { Arbitrary } from "effect"
import * as Schema from "effect/Schema"

/** The choices of one schema. */
export const Choices = Arbitrary.array(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))),
  { minLength: 0, maxLength: 160 }
)

class Tape {
  #next = 0
  readonly #choices: ReadonlyArray<number>

  constructor(choices: ReadonlyArray<number>) {
    this.#choices = choices
  }

  pick<A>(from: readonly [A, ...ReadonlyArray<A>]): A {
    return from[(this.#choices[this.#next++] ?? 0) % from.length] ?? from[0]
  }

  get isOver(): boolean {
    return this.#next >= this.#choices.length
  }
}

const NAMES = [
  "a",
  "b",
  "type",
  "properties",
  "required",
  "items",
  "$ref",
  "const",
  "enum",
  "format",
  "contentEncoding",
  "contentMediaType",
  "_placeholder",
  "__proto__",
  "constructor",
  "a[]",
  "a()",
  "$.x",
  "x-y",
  "1st",
  "",
  "é".repeat(80),
  "k".repeat(80),
  "a__",
  "anyOf",
  "nullable",
  "default",
  "description"
] as const

const REFERENCES = [
  "#/$defs/A",
  "#/$defs/B",
  "#/definitions/A",
  "#/properties/a",
  "#/properties/a~1b/items",
  "#",
  "#/$defs/missing",
  "https://example.com/schema.json",
  "other.json#/x",
  "#anchor",
  "#/%24defs/A",
  ""
] as const

const VALUES: readonly [Schema.Json, ...ReadonlyArray<Schema.Json>] = [
  "a",
  "",
  1,
  0,
  -1.5,
  true,
  false,
  null,
  [],
  {},
  ["a", "a"],
  { a: 1 },
  "2020-01-01",
  "x".repeat(5000),
  "\u001b[31mred\u202e",
  1e308,
  [null, 1, "1"],
  "[a",
  "(?<n>a)",
  "object"
]

const TYPES: readonly [Schema.Json, ...ReadonlyArray<Schema.Json>] = [
  "string",
  "object",
  "array",
  "integer",
  "number",
  "boolean",
  "null",
  ["string", "null"],
  ["object", "array", "string"],
  ["array", "null"],
  [],
  "any",
  ["string", "string"],
  1,
  null
]

type Make = (tape: Tape, depth: number) => Schema.Json

const literal: Make = (tape) => tape.pick(VALUES)

const several = (tape: Tape, one: () => Schema.Json): ReadonlyArray<Schema.Json> =>
  Array.from({ length: tape.pick([1, 2, 3, 0]) }, one)

const named = (tape: Tape, one: () => Schema.Json): Schema.Json =>
  Object.fromEntries(Array.from({ length: tape.pick([1, 2, 3, 5, 0]) }, () => [tape.pick(NAMES), one()]))

const schemas: Make = (tape, depth) => several(tape, () => schema(tape, depth))
const schemaMap: Make = (tape, depth) => named(tape, () => schema(tape, depth))
const nameList: Make = (tape) => several(tape, () => tape.pick(NAMES))

const schema: Make = (tape, depth) => {
  if (tape.isOver || depth > 5) return tape.pick([{}, { type: "string" }, true, false, {}])
  if (tape.pick([0, 0, 0, 0, 0, 0, 0, 1]) === 1) return tape.pick<Schema.Json>([true, false, null, "string", 3, []])
  const count = tape.pick([1, 2, 3, 4])
  return Object.fromEntries(Array.from({ length: count }, () => keyword(tape, depth + 1)))
}

const KEYWORDS: readonly [readonly [string, Make], ...ReadonlyArray<readonly [string, Make]>] = [
  ["type", (tape) => tape.pick(TYPES)],
  ["properties", schemaMap],
  ["required", nameList],
  ["items", schema],
  ["items", schemas],
  ["prefixItems", schemas],
  ["additionalItems", schema],
  ["additionalProperties", schema],
  ["anyOf", schemas],
  ["oneOf", schemas],
  ["allOf", schemas],
  ["not", schema],
  ["if", schema],
  ["then", schema],
  ["else", schema],
  ["$ref", (tape) => tape.pick(REFERENCES)],
  ["$dynamicRef", (tape) => tape.pick(REFERENCES)],
  ["$anchor", () => "anchor"],
  ["$id", (tape) => tape.pick(["other.json", "https://example.com/schema.json", "#x"])],
  ["enum", (tape, depth) => several(tape, () => literal(tape, depth))],
  ["const", literal],
  ["default", literal],
  ["nullable", (tape) => tape.pick([true, false, "yes"])],
  ["description", literal],
  ["title", literal],
  ["pattern", literal],
  ["format", (tape) => tape.pick(["uri", "date-time", "int32", "email", 3])],
  ["minimum", literal],
  ["exclusiveMinimum", literal],
  ["maximum", literal],
  ["minLength", literal],
  ["maxItems", literal],
  ["uniqueItems", literal],
  ["patternProperties", schemaMap],
  ["propertyNames", schema],
  ["dependentRequired", (tape) => named(tape, () => nameList(tape, 0))],
  ["dependentSchemas", schemaMap],
  ["dependencies", schemaMap],
  ["contentEncoding", () => "base64"],
  ["contentMediaType", () => "image/png"],
  ["examples", literal],
  ["x-order", literal]
]

const keyword = (tape: Tape, depth: number): readonly [string, Schema.Json] => {
  const [name, make] = tape.pick(KEYWORDS)
  return [name, make(tape, depth)]
}

/** A root: an object with properties more often than not. */
export const root = (choices: ReadonlyArray<number>): Schema.JsonObject => {
  const tape = new Tape(choices)
  const entries = Array.from({ length: tape.pick([1, 2, 3, 4]) }, () => keyword(tape, 0))
  const definitions = { A: schema(tape, 1), B: schema(tape, 1) }
  return {
    ...tape.pick<Schema.JsonObject>([{ type: "object" }, {}]),
    ...(tape.pick([true, true, false]) ? { properties: schemaMap(tape, 0) } : {}),
    ...Object.fromEntries(entries),
    ...tape.pick<Schema.JsonObject>([{ $defs: definitions }, { definitions }, {}])
  }
}

/** What a model might send. */
export const args = (choices: ReadonlyArray<number>): Schema.Json => {
  const tape = new Tape(choices)
  const value: Make = (from, depth) => {
    if (from.isOver || depth > 4) return from.pick(VALUES)
    const inner = () => value(from, depth + 1)
    return from.pick<() => Schema.Json>([
      () => named(from, inner),
      () => several(from, inner),
      () => JSON.stringify(named(from, inner)),
      () => from.pick(VALUES)
    ])()
  }
  return value(tape, 0)
}

/** A schema with names of every kind, and a value it accepts. */
export interface Example {
  readonly schema: Schema.JsonObject
  readonly value: Schema.Json
  /** The same value by the names that a converted schema has for the properties. */
  readonly said: (converted: Schema.Json | undefined) => Schema.Json
}

export const example = (choices: ReadonlyArray<number>): Example => {
  const tape = new Tape(choices)
  return objectExample(tape, 0)
}

const anyExample = (tape: Tape, depth: number): Example => {
  if (tape.isOver || depth > 4) {
    const value = tape.pick(["a", "[1]", "{}", "a__"])
    return { schema: { type: "string" }, value, said: () => value }
  }
  return tape.pick([objectExample, listExample, mapExample])(tape, depth + 1)
}

const objectExample = (tape: Tape, depth: number): Example => {
  const names = [...new Set(Array.from({ length: tape.pick([3, 1, 2, 5]) }, () => tape.pick(NAMES)))]
  const parts = names.map((name) => [name, anyExample(tape, depth)] as const)
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(parts.map(([name, { schema }]) => [name, schema])),
      required: names
    },
    value: Object.fromEntries(parts.map(([name, { value }]) => [name, value])),
    // Properties keep their order, but for names that are numbers, of which there are none.
    said: (converted) => {
      const properties = Object.entries(part(converted, "properties") ?? {})
      return Object.fromEntries(
        parts.flatMap(([, { said }], index) => {
          const property = properties[index]
          return property === undefined ? [] : [[property[0], said(property[1])]]
        })
      )
    }
  }
}

const listExample = (tape: Tape, depth: number): Example => {
  const one = anyExample(tape, depth)
  return {
    schema: { type: "array", items: one.schema },
    value: [one.value, one.value],
    said: (converted) => [one.said(part(converted, "items")), one.said(part(converted, "items"))]
  }
}

/** In maps names are data, also those that elsewhere are names of ours. */
const mapExample = (tape: Tape): Example => {
  const value = { a__: "x", [tape.pick(["_.x", "a[]", "x_y"])]: "y" }
  return { schema: { type: "object", additionalProperties: { type: "string" } }, value, said: () => value }
}

const part = (schema: Schema.Json | undefined, key: string): Schema.Json | undefined =>
  typeof schema === "object" && schema !== null ? Object.entries(schema).find(([name]) => name === key)?.[1] : undefined

/** The value, and whatever is in it, so that nobody can change it. */
export const frozen = <A>(value: A): A => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) frozen(part)
  }
  return value
}
