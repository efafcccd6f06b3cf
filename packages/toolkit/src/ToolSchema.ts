/**
 * The least that every provider asks of a tool's input schema. Dialects of single providers are not made here.
 */
import type * as Schema from "effect/Schema"
import { isObject, names, objects, referred } from "./JsonSchema.ts"

/**
 * Gives a schema whose root is an object with `properties` and without a choice (`oneOf`, `anyOf`, `allOf`, `enum`,
 * `not`, `$ref`), for one tool with such a root makes providers refuse the whole request. The properties of the branches
 * become properties of the root, which then allows more than the server does; the description says what it asks. A
 * schema that is already legal is given back unchanged. Pure, and the same again when applied twice.
 *
 * @category constructors
 */
export const legal = (declared: Schema.JsonObject): Schema.JsonObject => {
  const choices = Object.entries(declared).filter(([key]) => CHOICES.includes(key))
  if (choices.length > 0) return flat(declared, Object.fromEntries(choices))
  const { properties } = declared
  if (declared["type"] === "object" && isObject(properties)) return declared
  return { ...declared, type: "object", properties: isObject(properties) ? properties : {} }
}

const CHOICES: ReadonlyArray<string> = ["oneOf", "anyOf", "allOf", "enum", "not", "$ref"]

const flat = (declared: Schema.JsonObject, choices: Schema.JsonObject): Schema.JsonObject => {
  const rest = Object.fromEntries(Object.entries(declared).filter(([key]) => !CHOICES.includes(key)))
  const own = isObject(declared["properties"]) ? declared["properties"] : {}
  const found: Array<Properties> = []
  const required = new Set(names(declared["required"]))
  collect(declared, { root: declared, found, required, depth: 0 })
  const merged = Object.fromEntries([...merge(found), ...Object.entries(own)])
  return {
    ...rest,
    description: described(declared["description"], choices),
    type: "object",
    properties: merged,
    ...(required.size === 0 ? {} : { required: [...required] })
  }
}

type Properties = ReadonlyArray<readonly [name: string, schema: Schema.Json]>

interface Collecting {
  readonly root: Schema.JsonObject
  readonly found: Array<Properties>
  /** What every branch asks for. */
  readonly required: Set<string>
  readonly depth: number
}

const DEPTH = 8

/** The properties of every branch. Only what all branches hold, those of `allOf` and `$ref`, can require one. */
const collect = (schema: Schema.JsonObject, state: Collecting): void => {
  if (state.depth > DEPTH) return
  const deeper = { ...state, depth: state.depth + 1 }
  const target = typeof schema["$ref"] === "string" ? [referred(state.root, schema["$ref"])] : []
  for (const branch of [...target, ...objects(schema["allOf"])]) {
    for (const name of names(branch["required"])) state.required.add(name)
    add(branch, deeper)
  }
  for (const branch of [...objects(schema["oneOf"]), ...objects(schema["anyOf"])]) {
    add(branch, { ...deeper, required: new Set() })
  }
}

const add = (branch: Schema.JsonObject, state: Collecting): void => {
  if (isObject(branch["properties"])) state.found.push(Object.entries(branch["properties"]))
  collect(branch, state)
}

const merge = (found: ReadonlyArray<Properties>): ReadonlyMap<string, Schema.Json> => {
  const merged = new Map<string, Schema.Json>()
  const kinds = Map.groupBy(found.flat(), ([name]) => name)
  for (const [name, entries] of kinds) {
    const schemas = [...new Map(entries.map(([, schema]) => [JSON.stringify(schema), schema])).values()]
    merged.set(name, schemas.length === 1 ? schemas[0] ?? {} : { anyOf: schemas })
  }
  return merged
}

const DESCRIPTION_CHARACTERS = 4000

const described = (description: Schema.Json | undefined, choices: Schema.JsonObject): string => {
  const json = JSON.stringify(choices)
  const asked = json.length > DESCRIPTION_CHARACTERS
    ? "The server accepts only some combinations of these."
    : `The server checks the arguments against ${json}`
  return typeof description === "string" ? `${description}\n${asked}` : asked
}
