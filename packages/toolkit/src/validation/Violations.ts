/** The errors of a validator in words by which a model can correct a value. Pure. */
import { Nearest } from "@boocode/mcp-config"
import type { ErrorObject } from "ajv"
import type * as Schema from "effect/Schema"
import { isObject, own } from "../schema/JsonSchema.ts"
import { bounded, expectedText, found, keyText, pathText, shortened } from "./SchemaWords.ts"
import * as UnionErrors from "./UnionErrors.ts"

const SHOWN = 5
const CONSIDERED = 200

/**
 * The errors in at most 5 lines and one with the count of the rest: what is missing first, all of
 * it at once, then unknown keys with the nearest known ones, then wrong kinds, then the rest. `root` is the schema.
 */
export const words = (errors: ReadonlyArray<ErrorObject>, root: Schema.JsonObject): ReadonlyArray<string> => {
  const told = UnionErrors.meant(considered(errors), root)
  const lines = new Set([
    ...grouped(told, (error) => MISSING.has(error.keyword), (group) => missing(root, group)),
    ...grouped(told, (error) => UNKNOWN.has(error.keyword), unknown),
    ...told.filter(({ keyword }) => KIND.has(keyword)).map((error) => single(root, error)),
    ...told.filter(isOther).map((error) => single(root, error))
  ])
  const all = [...lines].filter((line) => line !== "")
  const whole = all.length === 0 ? ["it does not match the schema"] : all
  const isMore = whole.length > SHOWN || errors.length > CONSIDERED
  return isMore ? [...whole.slice(0, SHOWN), more(whole.length - SHOWN, errors.length > CONSIDERED)] : whole
}

/** The errors of a union stand in front of its own, which tells what to make of them. */
const considered = (errors: ReadonlyArray<ErrorObject>): ReadonlyArray<ErrorObject> =>
  errors.length <= CONSIDERED
    ? errors
    : [...errors.slice(0, CONSIDERED / 2), ...errors.slice(-CONSIDERED / 2)]

const more = (count: number, isCut: boolean): string => isCut ? "and many more" : `and ${count} more`

export const MISSING: ReadonlySet<string> = new Set(["required", "dependentRequired"])
const UNKNOWN: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"])
export const KIND: ReadonlySet<string> = new Set(["type", "enum", "const", "anyOf", "oneOf"])

const isOther = ({ keyword }: ErrorObject): boolean =>
  !MISSING.has(keyword) && !UNKNOWN.has(keyword) && !KIND.has(keyword) && keyword !== "if"

const grouped = (
  errors: ReadonlyArray<ErrorObject>,
  belongs: (error: ErrorObject) => boolean,
  say: (group: readonly [ErrorObject, ...Array<ErrorObject>]) => string
): ReadonlyArray<string> => {
  const groups = new Map<string, [ErrorObject, ...Array<ErrorObject>]>()
  for (const error of errors.filter(belongs)) {
    const group = groups.get(error.instancePath)
    if (group === undefined) groups.set(error.instancePath, [error])
    else group.push(error)
  }
  return [...groups.values()].map(say)
}

const missing = (root: Schema.JsonObject, group: readonly [ErrorObject, ...Array<ErrorObject>]): string => {
  const say = ([name, { params, parentSchema }]: readonly [string, ErrorObject]) => {
    const expected = expectedText(root, own(propertiesOf(parentSchema), name))
    const why = typeof params["property"] === "string" ? `needed with ${keyText(params["property"])}` : expected
    return `${keyText(name)}${why === "" ? "" : ` (${why})`}`
  }
  const byName = new Map(group.map((error) => [String(error.params["missingProperty"]), error]))
  return `${inside(group[0])}missing ${bounded([...byName], say)}`
}

const unknown = (group: readonly [ErrorObject, ...Array<ErrorObject>]): string => {
  const known = [...new Set(group.flatMap(({ parentSchema }) => Object.keys(propertiesOf(parentSchema))))]
  const say = (name: string) => {
    const near = Nearest.nearest(name, known.slice(0, COMPARED), 1).map((other) => ` (did you mean ${keyText(other)}?)`)
    return `${keyText(name)}${near.join("")}`
  }
  const names = group.map(({ params }) => String(params["additionalProperty"] ?? params["unevaluatedProperty"]))
  const allowed = known.length === 0 ? "no key is known" : `known are ${bounded(known, keyText)}`
  return `${inside(group[0])}unknown ${bounded([...new Set(names)], say)}; ${allowed}`
}

const COMPARED = 500

const inside = ({ instancePath }: ErrorObject): string => instancePath === "" ? "" : `in ${pathText(instancePath)}: `

const schemaOf = (schema: unknown): Schema.Json | undefined => isJson(schema) ? schema : undefined

const propertiesOf = (schema: unknown): Schema.JsonObject => {
  const properties = own(schemaOf(schema), "properties")
  return isObject(properties) ? properties : {}
}

const single = (root: Schema.JsonObject, error: ErrorObject): string => {
  const { data, instancePath, keyword, params, schema } = error
  const subject = instancePath === "" ? "the whole" : pathText(instancePath)
  const got = isJson(data) ? `, got ${found(data, instancePath)}` : ""
  const said = KIND.has(keyword) ? kind(root, error) : LIMITS.get(keyword)?.(String(schema)) ?? ""
  if (said !== "") return `${subject} should ${said}${got}`
  if (keyword === "propertyNames") {
    return `${inside(error)}the key ${keyText(String(params["propertyName"]))} is not allowed`
  }
  if (error.propertyName !== undefined) return ""
  if (keyword === "items") {
    return `${subject} should have at most ${String(params["len"] ?? params["limit"])} items${got}`
  }
  if (keyword === "contains") {
    const what = expectedText(root, schemaOf(schema))
    return `${subject} should contain ${counted(params)}${what === "" ? "" : ` that is ${what}`}${got}`
  }
  return keyword === "false schema" ? `${subject} is not allowed` : `${subject} does not match "${keyword}"${got}`
}

const kind = (root: Schema.JsonObject, { keyword, params, parentSchema, schema }: ErrorObject): string => {
  if (keyword === "oneOf" && Array.isArray(params["passingSchemas"])) {
    return "match exactly one of the forms it may have, but it matches several"
  }
  // A value of the wrong kind is told the kind; which values it may have would hide that.
  const { const: _const, enum: _enum, ...type } = Object(parentSchema)
  const what = expectedText(root, keyword === "type" ? type : { [keyword]: schemaOf(schema) ?? null })
  return what === "" ? "be of another kind" : `be ${what}`
}

const counted = ({ maxContains, minContains }: Record<string, unknown>): string =>
  typeof minContains !== "number"
    ? "an item"
    : `${minContains}${typeof maxContains === "number" ? ` to ${maxContains} items` : " items or more"}`

const isJson = (value: unknown): value is Schema.Json => value !== undefined

const LIMITS: ReadonlyMap<string, (limit: string) => string> = new Map<string, (limit: string) => string>([
  ["minimum", (limit) => `be at least ${limit}`],
  ["maximum", (limit) => `be at most ${limit}`],
  ["exclusiveMinimum", (limit) => `be more than ${limit}`],
  ["exclusiveMaximum", (limit) => `be less than ${limit}`],
  ["multipleOf", (limit) => `be a multiple of ${limit}`],
  ["minLength", (limit) => `have at least ${limit} characters`],
  ["maxLength", (limit) => `have at most ${limit} characters`],
  ["minItems", (limit) => `have at least ${limit} items`],
  ["maxItems", (limit) => `have at most ${limit} items`],
  ["minProperties", (limit) => `have at least ${limit} keys`],
  ["maxProperties", (limit) => `have at most ${limit} keys`],
  ["uniqueItems", () => "have no item twice"],
  ["pattern", (pattern) => `match the pattern ${shortened(pattern, 200)}`]
])
