/** JSON Schemas as TypeScript types, for models that write programs. Pure; any schema has a type, and a short one. */
import { CleanText } from "@boocode/mcp-registry"
import type * as Schema from "effect/Schema"
import { isObject, own } from "../schema/JsonSchema.ts"
import { References } from "../schema/References.ts"
import { isIdentifier } from "./ProgramNames.ts"

/** How much is told. */
export interface TypeOptions {
  /** How long the type may be. */
  readonly characters: number
  /** Whether what the schema says of a property stands before it. */
  readonly hasComments?: boolean
}

/** The TypeScript type of a schema's values, on one line. Where it would be too long, its inner parts are `unknown`. */
export const ofSchema = (schema: Schema.Json, { characters, hasComments = false }: TypeOptions): string => {
  const root = isObject(schema) ? new References(schema) : null
  for (const depth of DEPTHS) {
    const text = typeOf(schema, { root, depth, hasComments, parts: { left: PARTS }, open: [] })
    if (text.length <= characters) return text
  }
  return UNKNOWN
}

/** How deep a type goes, tried one after the other. */
const DEPTHS = [8, 5, 3, 2, 1]

/** References may stand for more than anybody reads. */
const PARTS = 2000

const UNKNOWN = "unknown"

interface At {
  readonly root: References | null
  /** How many levels may follow. */
  readonly depth: number
  readonly hasComments: boolean
  readonly parts: { left: number }
  /** The references that are being followed. */
  readonly open: ReadonlyArray<string>
}

const typeOf = (schema: Schema.Json | undefined, at: At): string => {
  if (schema === false) return "never"
  if (!isObject(schema) || at.depth <= 0 || at.parts.left-- <= 0) return UNKNOWN
  const reference = own(schema, "$ref")
  const types = [
    ...(typeof reference === "string" ? [followed(reference, at)] : []),
    plain(schema, at),
    ...["anyOf", "oneOf"].flatMap((key) => branches(schema, key, at)),
    ...listOf(own(schema, "allOf")).map((part) => typeOf(part, at))
  ].filter((type) => type !== UNKNOWN)
  const whole = intersection(types)
  return own(schema, "nullable") === true ? union([whole, "null"]) : whole
}

const followed = (reference: string, at: At): string => {
  const target = at.open.includes(reference) ? undefined : at.root?.target(reference)
  return target === undefined
    ? UNKNOWN
    : typeOf(target.schema, { ...at, depth: at.depth - 1, open: [...at.open, reference] })
}

const branches = (schema: Schema.JsonObject, key: string, at: At): ReadonlyArray<string> => {
  const parts = listOf(own(schema, key))
  return parts.length === 0 ? [] : [union(parts.map((part) => typeOf(part, at)))]
}

const listOf = (value: Schema.Json | undefined): ReadonlyArray<Schema.Json> => Array.isArray(value) ? value : []

/** The type that the keywords of one schema give, without those that combine others. */
const plain = (schema: Schema.JsonObject, at: At): string => {
  const fixed = own(schema, "const")
  const given = fixed === undefined ? own(schema, "enum") : [fixed]
  const types = [own(schema, "type") ?? impliedType(schema)].flat()
  if (Array.isArray(given) && given.length > 0) return literals(given)
  return union(types.map((type) => named(type, schema, at)))
}

const impliedType = (schema: Schema.JsonObject): Schema.Json => {
  const has = (...keys: ReadonlyArray<string>) => keys.some((key) => own(schema, key) !== undefined)
  if (has("properties", "additionalProperties", "patternProperties")) return "object"
  return has("items", "prefixItems") ? "array" : null
}

const named = (type: Schema.Json, schema: Schema.JsonObject, at: At): string => {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
    case "null":
      return type
    case "integer":
      return "number"
    case "array":
      return arrayOf(schema, at)
    case "object":
      return objectOf(schema, at)
    default:
      return UNKNOWN
  }
}

const MOST_MEMBERS = 24
const MOST_CHARACTERS = 240

const literals = (values: ReadonlyArray<Schema.Json>): string => {
  const texts = values.map(literal)
  const isShort = texts.length <= MOST_MEMBERS && texts.reduce((sum, text) => sum + text.length, 0) <= MOST_CHARACTERS
  return union(isShort ? texts : values.map(kindOf))
}

const literal = (value: Schema.Json): string =>
  typeof value === "object" && value !== null ? kindOf(value) : JSON.stringify(value)

const kindOf = (value: Schema.Json): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return `Array<${UNKNOWN}>`
  return typeof value === "object" ? "object" : typeof value
}

const arrayOf = (schema: Schema.JsonObject, at: At): string => {
  const items = own(schema, "items")
  const first = listOf(own(schema, "prefixItems") ?? (Array.isArray(items) ? items : []))
  const inner = { ...at, depth: at.depth - 1 }
  if (first.length === 0 || first.length > MOST_MEMBERS) {
    return `Array<${Array.isArray(items) ? UNKNOWN : typeOf(items, inner)}>`
  }
  return `[${first.map((one) => `(${typeOf(one, inner)})?`).join(", ")}, ...Array<${UNKNOWN}>]`
}

const objectOf = (schema: Schema.JsonObject, at: At): string => {
  const properties = own(schema, "properties")
  const entries = isObject(properties) ? Object.entries(properties) : []
  const further = own(schema, "additionalProperties")
  const inner = { ...at, depth: at.depth - 1 }
  const isMap = isObject(further) || (further === true && entries.length === 0)
  const map = isMap ? `Record<string, ${typeOf(further, inner)}>` : null
  if (entries.length === 0) return map ?? (further === false ? "{}" : "object")
  const required = new Set(listOf(own(schema, "required")))
  const lines = entries.map(([name, property]) => {
    const type = typeOf(property, inner)
    const key = isIdentifier(name) ? name : JSON.stringify(name)
    return `${at.hasComments ? commentOf(property) : ""}${key}${required.has(name) ? "" : "?"}: ${type}`
  })
  const object = `{ ${lines.join("; ")} }`
  return map === null ? object : intersection([object, map])
}

const COMMENT = 400

/** The description of a property, so that it cannot end its comment. */
const commentOf = (property: Schema.Json): string => {
  const said = own(property, "description")
  const words = typeof said === "string" ? comment(said, COMMENT) : ""
  return words === "" ? "" : `/** ${words} */ `
}

/** A text of others on one line of at most so many characters, in which no comment ends. */
export const comment = (text: string, characters: number): string => {
  const words = CleanText.clean(text).replaceAll(/\s+/g, " ").replaceAll("*/", "* /").trim()
  return words.length <= characters ? words : `${words.slice(0, characters).toWellFormed()}…`
}

/** A type of several that may each hold a choice. */
const intersection = (types: ReadonlyArray<string>): string => {
  const distinct = [...new Set(types)]
  if (distinct.length <= 1) return distinct[0] ?? UNKNOWN
  return distinct.map((type) => type.includes("|") ? `(${type})` : type).join(" & ")
}

const union = (types: ReadonlyArray<string>): string => {
  const distinct = [...new Set(types)]
  if (distinct.length === 0 || distinct.includes(UNKNOWN)) return UNKNOWN
  const some = distinct.filter((type) => type !== "never")
  return some.length === 0 ? "never" : some.join(" | ")
}
