/** What is wrong with a value, in words by which a model can correct it. Pure. */
import { Nearest } from "@boocode/mcp-config"
import type { ErrorObject } from "ajv"
import type * as Schema from "effect/Schema"
import * as JsonSchema from "../text/JsonSchema.ts"

const SHOWN = 5
const CONSIDERED = 200

/**
 * What the errors of a validator say, at most 5 lines and one with the count of the rest: what is missing first, all of
 * it at once, then unknown keys with the nearest known ones, then wrong kinds, then the rest. `root` is the schema.
 */
export const words = (errors: ReadonlyArray<ErrorObject>, root: Schema.JsonObject): ReadonlyArray<string> => {
  const told = toldUnion(considered(errors), root)
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

const MISSING: ReadonlySet<string> = new Set(["required", "dependentRequired"])
const UNKNOWN: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"])
const KIND: ReadonlySet<string> = new Set(["type", "enum", "const", "anyOf", "oneOf"])

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
    const expected = expectedText(root, propertyOf(parentSchema, name))
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

const propertiesOf = (schema: unknown): Schema.JsonObject => {
  const properties = isRecord(schema) ? schema["properties"] : undefined
  return isRecord(properties) ? properties : {}
}

const propertyOf = (schema: unknown, name: string): Schema.Json | undefined => {
  const properties = propertiesOf(schema)
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

const isRecord = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

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
    const what = expectedText(root, isJson(schema) ? schema : undefined)
    return `${subject} should contain ${counted(params)}${what === "" ? "" : ` that is ${what}`}${got}`
  }
  return keyword === "false schema" ? `${subject} is not allowed` : `${subject} does not match "${keyword}"${got}`
}

const kind = (root: Schema.JsonObject, { keyword, params, parentSchema, schema }: ErrorObject): string => {
  if (keyword === "oneOf" && Array.isArray(params["passingSchemas"])) {
    return "match exactly one of the forms it may have, but it matches several"
  }
  const part = keyword === "type" && isRecord(parentSchema) ? parentSchema : isJson(schema) ? { [keyword]: schema } : {}
  const what = expectedText(root, keyword === "type" ? withoutValues(part) : part)
  return what === "" ? "be of another kind" : `be ${what}`
}

/** A value of the wrong kind is told the kind; which values it may have would hide that. */
const withoutValues = ({ const: _const, enum: _enum, ...schema }: Schema.JsonObject): Schema.JsonObject => schema

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

// Which errors of a union are worth telling: those of the one branch that was meant, or that no branch matched. Pure.

/**
 * The errors without those of branches that were not meant. The branch that was meant is the only one that takes this
 * kind of value, or the one whose constants fit best; a union without such a branch keeps its own error alone. `root`
 * is the schema.
 */
export const toldUnion = (errors: ReadonlyArray<ErrorObject>, root: Schema.JsonObject): ReadonlyArray<ErrorObject> => {
  const hidden = new Set<ErrorObject>()
  // The error of a union stands behind those of its branches, so outer unions come first.
  for (const union of errors.toReversed()) {
    if (!UNIONS.has(union.keyword) || hidden.has(union)) continue
    const branches = branchesOf(union, root)
    const before = errors.slice(0, errors.indexOf(union)).filter((error) => isWithin(error, union))
    const inner = branches.length > BRANCHES
      ? before
      : before.filter((error) => branches.some((parts) => parts.has(error.parentSchema)))
    const meant = branches.length > BRANCHES
      ? []
      : branchMeant(union, branches.map((parts) => inner.filter((error) => parts.has(error.parentSchema))))
    for (const error of inner) if (!meant.includes(error)) hidden.add(error)
    if (meant.length > 0) hidden.add(union)
  }
  return errors.filter((error) => !hidden.has(error))
}

const UNIONS: ReadonlySet<string> = new Set(["anyOf", "oneOf"])
const VALUES: ReadonlySet<string> = new Set(["const", "enum"])
const PARTS = 500
const BRANCHES = 20

const isWithin = ({ instancePath }: ErrorObject, union: ErrorObject): boolean =>
  instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`)

const branchesOf = ({ schema }: ErrorObject, root: Schema.JsonObject): ReadonlyArray<ReadonlySet<unknown>> =>
  Array.isArray(schema) ? schema.slice(0, BRANCHES + 1).map((branch: unknown) => partsOf(branch, root)) : []

/** Everything a branch may check with, as the objects by which errors name it. */
const partsOf = (branch: unknown, root: Schema.JsonObject): ReadonlySet<unknown> => {
  const parts = new Set<unknown>()
  const todo: Array<unknown> = [branch]
  for (let part = todo.pop(); part !== undefined && parts.size < PARTS; part = todo.pop()) {
    if (typeof part !== "object" || part === null || parts.has(part)) continue
    parts.add(part)
    todo.push(...Object.values(part))
    if ("$ref" in part && typeof part.$ref === "string") todo.push(JsonSchema.referred(root, part.$ref))
  }
  return parts
}

const branchMeant = (
  union: ErrorObject,
  branches: ReadonlyArray<ReadonlyArray<ErrorObject>>
): ReadonlyArray<ErrorObject> => {
  const fitting = branches.filter((errors) => errors.length > 0 && !errors.some((error) => isOfKind(error, union)))
  const ranked = fitting.map((errors) => ({ errors, rank: misfit(errors, union) })).sort((a, b) => a.rank - b.rank)
  const [best, next] = ranked
  return best !== undefined && (next === undefined || best.rank < next.rank) ? best.errors : []
}

const isOfKind = ({ instancePath, keyword }: ErrorObject, union: ErrorObject): boolean =>
  instancePath === union.instancePath && (keyword === "type" || VALUES.has(keyword) || UNIONS.has(keyword))

const misfit = (errors: ReadonlyArray<ErrorObject>, union: ErrorObject): number => {
  const depth = union.instancePath.split("/").length + 1
  const isTag = ({ instancePath, keyword }: ErrorObject) =>
    VALUES.has(keyword) && instancePath.split("/").length === depth
  return errors.length + 100 * errors.filter(isTag).length
}

// Schemas, values and paths in few words, for those who have to correct a value. Pure.

const LISTED = 20
const CHARACTERS = 24
const KEY_CHARACTERS = 60

/** Values that are allowed, at most 20 of them, as JSON. */
export const listed = (values: ReadonlyArray<Schema.Json>): string =>
  bounded(values, (value) => shortened(JSON.stringify(value), KEY_CHARACTERS))

/** Things in a row, at most 20 of them. */
export const bounded = <A>(things: ReadonlyArray<A>, say: (thing: A) => string): string =>
  things.slice(0, LISTED).map(say).join(", ") + (things.length > LISTED ? ` and ${things.length - LISTED} more` : "")

/** A text cut at so many characters. */
export const shortened = (text: string, characters: number): string => {
  const points = text.length > characters ? Array.from(text.slice(0, 2 * characters + 2)) : []
  return points.length > characters ? `${points.slice(0, characters).join("")}…` : text
}

/** The name of a key. */
export const keyText = (name: string): string =>
  /^[\w$-]+$/.test(name) ? shortened(name, KEY_CHARACTERS) : JSON.stringify(shortened(name, KEY_CHARACTERS))

/** A JSON pointer into a value as people write paths, `filter.items[2]`; "" for the value itself. */
export const pathText = (pointer: string): string => {
  const steps = pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
  const shown = steps.length > 12 ? [...steps.slice(0, 6), "…", ...steps.slice(-5)] : steps
  return shown.reduce((before, step) => {
    if (/^\d+$/.test(step)) return `${before}[${step}]`
    if (step !== "…" && !/^[\w$-]+$/.test(step)) return `${before}[${JSON.stringify(shortened(step, KEY_CHARACTERS))}]`
    return `${before}${before === "" ? "" : "."}${shortened(step, KEY_CHARACTERS)}`
  }, "")
}

/** What was found: short values as they are, long ones and those that may be secret by their kind. */
export const found = (value: Schema.Json, at: string): string => {
  if (Array.isArray(value)) return `an array of ${value.length} item${value.length === 1 ? "" : "s"}`
  if (typeof value === "string") {
    return value.length > CHARACTERS || SECRET.test(at)
      ? `a string of ${value.length} characters`
      : JSON.stringify(value)
  }
  return JsonSchema.isObject(value) ? "an object" : JSON.stringify(value)
}

const SECRET = /pass|pwd|secret|token|key|auth|credential|cookie/i

/**
 * What a schema expects; "" when it expects nothing that can be said in few words. `root` is where its references lead.
 */
export const expectedText = (root: Schema.JsonObject, schema: Schema.Json | undefined, depth = 0): string => {
  if (!JsonSchema.isObject(schema) || depth > 4) return ""
  const at = JsonSchema.resolved(root, schema)
  if (at["const"] !== undefined) return listed([at["const"]])
  if (Array.isArray(at["enum"])) return at["enum"].length === 1 ? listed(at["enum"]) : `one of ${listed(at["enum"])}`
  const branches = JsonSchema.objects(at["anyOf"] ?? at["oneOf"])
  const union = anyOf(branches, (branch) => expectedText(root, branch, depth + 1))
  // Branches that differ in what is not checked, such as `format`, say nothing.
  if (union !== "") return union
  const types = JsonSchema.names([at["type"] ?? []].flat())
  if (types.length > 0) return anyOf(types, (type) => typed(root, at, type, depth))
  return JsonSchema.objects(at["allOf"]).slice(0, SCHEMA_WORDS_BRANCHES).map((part) =>
    expectedText(root, part, depth + 1)
  ).find((
    text
  ) => text !== "") ??
    ""
}

const SCHEMA_WORDS_BRANCHES = 6

const anyOf = <A>(forms: ReadonlyArray<A>, say: (form: A) => string): string => {
  const known = new Set(forms.slice(0, SCHEMA_WORDS_BRANCHES).map(say).filter((text) => text !== ""))
  return [...known].join(" or ") + (known.size > 0 && forms.length > SCHEMA_WORDS_BRANCHES ? " or something else" : "")
}

const typed = (root: Schema.JsonObject, schema: Schema.JsonObject, type: string, depth: number): string => {
  if (type === "object") {
    const required = JsonSchema.names(schema["required"])
    return required.length === 0 ? "an object" : `an object with ${bounded(required, keyText)}`
  }
  if (type !== "array") return TYPES.get(type) ?? type
  const items = expectedText(root, schema["items"], depth + 1)
  return items === "" ? "an array" : `an array (each item ${items})`
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["integer", "an integer"],
  ["boolean", "true or false"]
])
