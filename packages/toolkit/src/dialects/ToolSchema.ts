/**
 * The least that every provider asks of a tool's input schema: a root that is one object. `SchemaDialect` does the
 * rest.
 */
import type * as Schema from "effect/Schema"
import { isObject, names, own, without } from "../schema/JsonSchema.ts"
import { References } from "../schema/References.ts"
import { identity } from "./Conversion.ts"
import * as DialectWords from "./DialectWords.ts"

/**
 * Gives a schema whose root is an object with `properties` and without a choice (`oneOf`, `anyOf`, `allOf`, `enum`,
 * `const`, `not`, `$ref`): for one tool with another root, providers refuse the whole request. The properties of the
 * branches become properties of the root, which then allows more than the server does; the description says what it
 * asks. A schema that is already legal is given back unchanged. Pure, and the same again when applied twice.
 */
export const legal = (declared: Schema.JsonObject): Schema.JsonObject => {
  const chosen = Object.keys(declared).filter((key) => CHOICES.has(key))
  if (chosen.length > 0) return flat(declared)
  const { properties } = declared
  if (declared["type"] === "object" && isObject(properties)) return declared
  return { ...declared, type: "object", properties: isObject(properties) ? properties : {} }
}

/** The keywords that `legal` takes from a root. */
export const CHOICES: ReadonlySet<string> = new Set([
  "oneOf",
  "anyOf",
  "allOf",
  "enum",
  "const",
  "not",
  "nullable",
  "$ref",
  "$dynamicRef",
  "$recursiveRef"
])

const flat = (declared: Schema.JsonObject): Schema.JsonObject => {
  const rest = without(declared, CHOICES)
  const root = isObject(declared["properties"]) ? declared["properties"] : {}
  const references = new References(declared)
  const required = [...requiredOf(declared, references, new Map())]
  const merged = Object.fromEntries([...merge(propertiesOf(declared, references)), ...Object.entries(root)])
  const flattened = {
    ...without(rest, new Set(["required"])),
    type: "object",
    properties: merged,
    ...(required.length === 0 ? {} : { required })
  }
  return DialectWords.saying(flattened, asked(declared, references, 0))
}

const BRANCHES = 500

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"]

const SOME = ["oneOf", "anyOf"] as const

const branches = (schema: Schema.JsonObject, references: References) => {
  const targets = REFERENCES.flatMap((key) => {
    const reference = own(schema, key)
    return typeof reference === "string" ? references.target(reference)?.schema ?? [] : []
  })
  const list = (key: string) => {
    const given = own(schema, key)
    return (Array.isArray(given) ? given : []).filter(isObject).slice(0, BRANCHES)
  }
  return {
    all: [...targets.filter(isObject), ...list("allOf")],
    some: SOME.map(list),
    perhaps: [own(schema, "then"), own(schema, "else")].filter(isObject)
  }
}

/** The properties of every branch, but not the schema's own. Each schema is looked at once. */
const propertiesOf = (schema: Schema.JsonObject, references: References): ReadonlyArray<Properties> => {
  const found: Array<Properties> = []
  const seen = new Set([schema])
  const open = [schema]
  for (let next = 0; next < open.length && next < BRANCHES; next++) {
    const at = branches(open[next] ?? {}, references)
    for (const branch of [...at.all, ...at.some.flat(), ...at.perhaps]) {
      if (seen.has(branch)) continue
      seen.add(branch)
      open.push(branch)
      if (isObject(branch["properties"])) found.push(Object.entries(branch["properties"]))
    }
  }
  return found
}

type Properties = ReadonlyArray<readonly [name: string, schema: Schema.Json]>

const requiredOf = (
  schema: Schema.JsonObject,
  references: References,
  known: Map<Schema.JsonObject, ReadonlySet<string>>
): ReadonlySet<string> => {
  const before = known.get(schema)
  if (before !== undefined || known.size > BRANCHES) return before ?? NONE
  known.set(schema, NONE)
  const at = branches(schema, references)
  const found = new Set(names(schema["required"]))
  for (const branch of at.all) for (const name of requiredOf(branch, references, known)) found.add(name)
  for (const key of SOME) {
    // A branch that is not looked at may require nothing.
    const choice = own(schema, key)
    if (!Array.isArray(choice) || choice.length > BRANCHES || !choice.every(isObject)) continue
    const [first = NONE, ...others] = choice.map((branch) => requiredOf(branch, references, known))
    for (const name of first) if (others.every((other) => other.has(name))) found.add(name)
  }
  known.set(schema, found)
  return found
}

const NONE: ReadonlySet<string> = new Set()

const merge = (found: ReadonlyArray<Properties>): ReadonlyMap<string, Schema.Json> => {
  const merged = new Map<string, Schema.Json>()
  for (const [name, entries] of Map.groupBy(found.flat(), ([key]) => key)) {
    const different = new Map(entries.map(([, schema], index) => [identity(schema) ?? index, schema]))
    const schemas = [...different.values()]
    merged.set(name, schemas.length === 1 ? schemas[0] ?? {} : { anyOf: schemas })
  }
  return merged
}

const SETS = 12
const NESTED = 3

const asked = (schema: Schema.JsonObject, references: References, depth: number): ReadonlyArray<string> => {
  if (depth > NESTED) return []
  const { all, some: [one = [], any = []] } = branches(schema, references)
  const values = own(schema, "enum") ??
    (own(schema, "const") === undefined ? undefined : [own(schema, "const") ?? null])
  const not = own(schema, "not")
  return [
    ...all.slice(0, SETS).flatMap((branch) => asked(branch, references, depth + 1)),
    ...(one.length === 0 ? [] : [`Give exactly one of these sets: ${sets(one, references)}.`]),
    ...(any.length === 0 ? [] : [`Give at least one of these sets: ${sets(any, references)}.`]),
    ...(not === undefined ? [] : [DialectWords.of("not", not)]),
    ...(Array.isArray(values) && values.length > 0 ? [`The arguments are one of: ${DialectWords.listed(values)}.`] : [])
  ]
}

const sets = (of: ReadonlyArray<Schema.JsonObject>, references: References): string => {
  const said = of.slice(0, SETS).map((branch) => set(branch, references)).join(" or ")
  return of.length > SETS ? `${said} or others` : said
}

const set = (branch: Schema.JsonObject, references: References): string => {
  const required = requiredOf(branch, references, new Map())
  const properties = new Map(propertiesOf({ allOf: [branch] }, references).flat())
  const all = new Set([...required, ...properties.keys()])
  if (all.size === 0) return DialectWords.brief(branch)
  const said = [...all].map((name) => {
    const value = own(properties.get(name), "const")
    const constant = value === undefined ? "" : `: ${DialectWords.brief(value, 40)}`
    return `${DialectWords.brief(name, 80).slice(1, -1)}${required.has(name) ? "" : "?"}${constant}`
  })
  return `{${said.slice(0, 40).join(", ")}}`
}
