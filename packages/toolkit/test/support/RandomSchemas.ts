/** Schemas as nobody would write them, the same for the same seed. */
import type * as Schema from "effect/Schema"

type Json = Schema.Json

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
const numbers = (seed: number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6D2B79F5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const TYPES: ReadonlyArray<Json> = ["string", "number", "integer", "boolean", "object", "array", "null", "any", 7, null]
const NAMES = [
  "a",
  "b",
  "a[]",
  "a{}",
  "$ref",
  "type",
  "items",
  "properties",
  "required",
  "1",
  "é",
  "_placeholder",
  "x.y"
]
const REFERENCES = [
  "#",
  "#/$defs/A",
  "#/$defs/B",
  "#/properties/a",
  "#/properties/a/items",
  "#/nowhere",
  "#x",
  "http://x/y"
]
const JUNK: ReadonlyArray<Json> = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  "",
  "x",
  [],
  {},
  [null],
  [[]],
  { type: "string" },
  "(["
]

/** A schema of at most five levels. */
export const make = (seed: number): Schema.JsonObject => {
  const next = numbers(seed)
  const one = <A>(list: ReadonlyArray<A>, otherwise: A): A => list[Math.floor(next() * list.length)] ?? otherwise
  const some = <A>(most: number, item: () => A): Array<A> =>
    Array.from({ length: Math.floor(next() * (most + 1)) }, item)
  const map = (depth: number): Json => Object.fromEntries(some(4, () => [one(NAMES, "a"), schema(depth)]))

  const keywords = (depth: number): ReadonlyArray<readonly [string, () => Json]> => [
    ["type", () => next() < 0.7 ? one(TYPES, "string") : some(3, () => one(TYPES, "string"))],
    ["properties", () => map(depth)],
    ["required", () => some(3, () => one(NAMES, "a"))],
    ["items", () => next() < 0.7 ? schema(depth) : some(2, () => schema(depth))],
    ["prefixItems", () => some(2, () => schema(depth))],
    ["additionalProperties", () => next() < 0.5 ? next() < 0.5 : schema(depth)],
    ["patternProperties", () => map(depth)],
    ["anyOf", () => some(3, () => schema(depth))],
    ["oneOf", () => some(3, () => schema(depth))],
    ["allOf", () => some(2, () => schema(depth))],
    ["not", () => schema(depth)],
    ["if", () => schema(depth)],
    ["$ref", () => one(REFERENCES, "#")],
    ["$defs", () => ({ A: schema(depth), B: schema(depth) })],
    ["enum", () => some(4, () => one<Json>(["x", "y", "", 1, null, true, {}], "x"))],
    ["const", () => one<Json>(["x", 1, null, { a: 1 }], "x")],
    ["nullable", () => true],
    ["default", () => one(JUNK, null)],
    ["format", () => one(["uri", "date-time", "int64", "enum", "zip"], "uri")],
    ["pattern", () => one(["^a$", "\\p{L}", "(?<n>a)", "([", "(?=a)"], "^a$")],
    ["exclusiveMinimum", () => next() < 0.5 ? true : 0],
    ["minimum", () => one(JUNK, 0)],
    ["minLength", () => one(JUNK, 0)],
    ["description", () => next() < 0.8 ? "words" : one(JUNK, "")],
    ["contentEncoding", () => "base64"],
    ["x-own", () => one(JUNK, null)]
  ]

  const schema = (depth: number): Json => {
    if (next() < 0.08 || depth > 4) return one<Json>([{}, { type: "string" }, true, ...JUNK], {})
    return object(depth + 1)
  }

  const object = (depth: number): Schema.JsonObject => {
    const chosen = keywords(depth).filter(() => next() < 0.16)
    return Object.fromEntries(chosen.map(([key, value]) => [key, next() < 0.05 ? one(JUNK, null) : value()]))
  }

  return next() < 0.6 ? { type: "object", properties: map(1), ...object(1) } : object(0)
}
