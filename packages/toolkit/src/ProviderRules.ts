/**
 * What single providers refuse in a tool's input schema, told before a request fails because of it.
 */
import type * as Schema from "effect/Schema"
import { isObject, objects } from "./JsonSchema.ts"
import * as ToolSchema from "./ToolSchema.ts"

/** Something that a provider takes amiss. @category models */
export interface Trouble {
  readonly provider: "every" | "openai" | "anthropic"
  /** Where in the schema, for instance `properties.tags`; empty for its root. */
  readonly path: string
  readonly detail: string
  /** True when `ToolSchema.legal` changes the schema so that it is accepted. False: the provider refuses the request. */
  readonly isMended: boolean
}

/**
 * Looks for what is known to be refused: a choice at the root, which no provider takes; arrays that do not say what they
 * hold, which OpenAI refuses; names of properties that Anthropic refuses. Looks at what would be sent. Pure.
 *
 * @category getters
 */
export const troubles = (declared: Schema.JsonObject): ReadonlyArray<Trouble> => {
  const sent = ToolSchema.legal(declared)
  return [...atRoot(declared), ...arrays(sent, "", 0), ...propertyNames(sent)]
}

const CHOICES = ["oneOf", "anyOf", "allOf", "enum", "not", "$ref"]

const atRoot = (declared: Schema.JsonObject): ReadonlyArray<Trouble> =>
  CHOICES.filter((key) => declared[key] !== undefined).map((key) => ({
    provider: "every",
    path: "",
    detail: `"${key}" at its root is sent as one object with the properties of all branches`,
    isMended: true
  }))

const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/

/** Only those of the root are checked there. */
const propertyNames = ({ properties }: Schema.JsonObject): ReadonlyArray<Trouble> =>
  (isObject(properties) ? Object.keys(properties) : []).filter((name) => !PROPERTY_NAME.test(name)).map((name) => ({
    provider: "anthropic",
    path: `properties.${name}`,
    detail: "a property's name may have 64 characters at most, and only letters, digits, _, . and -",
    isMended: false
  }))

const arrays = (schema: Schema.JsonObject, path: string, depth: number): ReadonlyArray<Trouble> => {
  if (depth > DEPTH) return []
  const isBare = [schema["type"]].flat().includes("array") && schema["items"] === undefined
  const own: ReadonlyArray<Trouble> = isBare
    ? [{ provider: "openai", path, detail: `an array has to say what it holds, by "items"`, isMended: false }]
    : []
  return [
    ...own,
    ...inside(schema).flatMap(([at, part]) => arrays(part, path === "" ? at : `${path}.${at}`, depth + 1))
  ]
}

/** Nobody writes a schema so deep, but somebody may send one. */
const DEPTH = 64

const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems", "items"]
const SINGLES = ["items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"]

/** The schemas in a schema, each with its place. */
const inside = (schema: Schema.JsonObject): ReadonlyArray<readonly [string, Schema.JsonObject]> => [
  ...MAPS.flatMap((key) => {
    const parts = schema[key]
    return isObject(parts) ? Object.entries(parts).flatMap(([name, part]) => placed(`${key}.${name}`, part)) : []
  }),
  ...LISTS.flatMap((key) => objects(schema[key]).map((part, index) => [`${key}[${index}]`, part] as const)),
  ...SINGLES.flatMap((key) => placed(key, schema[key]))
]

const placed = (path: string, part: Schema.Json | undefined): ReadonlyArray<readonly [string, Schema.JsonObject]> =>
  isObject(part) ? [[path, part]] : []
