/**
 * The places of a JSON Schema where a schema stands, and how large the whole is. Pure; its cost is bounded, cycles and
 * bombs included.
 */
import type * as Schema from "effect/Schema"
import { isObject, names } from "../../../src/schema/JsonSchema.ts"

/** What stands where a schema should. */
export interface Places {
  /** An object or a boolean, if it is a schema. */
  readonly schema: Schema.Json
  /** For instance `properties.tags.items`; empty for the root. */
  readonly path: string
  /** How many schemas stand around it. */
  readonly depth: number
}

/** What a rule found: where, which rule, and what is wrong in words. */
export interface Violation {
  readonly path: string
  readonly rule: string
  readonly detail: string
}

/** What may be wrong at one place. */
export type Rule = (schema: Schema.JsonObject, place: Places) => ReadonlyArray<Violation>

const SHOWN = 200

/** Long texts from servers are shown in part. */
export const brief = (text: string): string => text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`

/** One violation at a place. */
export const violation = ({ path }: Pick<Places, "path">, rule: string, detail: string): Violation => ({
  path: brief(path),
  rule,
  detail
})

/** JSON Schema nests schemas by these keywords. `items` held a list before 2020-12. */
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems", "items"]
const SINGLES = [
  ...["items", "additionalItems", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"],
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"]
]

/**
 * Every place, the root first; with `known`, only those that stand in keywords known. For what `extent` found to fit: it
 * follows the nesting.
 */
export const places = (root: Schema.Json, known?: ReadonlySet<string>): ReadonlyArray<Places> => {
  const found: Array<Places> = []
  const visit = (place: Places): void => {
    found.push(place)
    if (isObject(place.schema)) inside(place.schema, place, known).forEach(visit)
  }
  visit({ schema: root, path: "", depth: 0 })
  return found
}

/** The places directly inside a schema. */
export const inside = (
  schema: Schema.JsonObject,
  { depth, path }: Omit<Places, "schema">,
  known?: ReadonlySet<string>
): ReadonlyArray<Places> => {
  const at = (step: string, part: Schema.Json): Places => ({
    schema: part,
    path: path === "" ? step : `${path}.${step}`,
    depth: depth + 1
  })
  return Object.entries(schema).flatMap(([key, value]) => {
    if (known?.has(key) === false) return []
    if (MAPS.includes(key) && isObject(value)) {
      return Object.entries(value).map(([name, part]) => at(`${key}.${name}`, part))
    }
    if (LISTS.includes(key) && Array.isArray(value)) return value.map((part, index) => at(`${key}[${index}]`, part))
    return SINGLES.includes(key) && value !== undefined && !Array.isArray(value) ? [at(key, value)] : []
  })
}

/**
 * No provider says how deep and how large one schema may be. 100 levels is where protobuf's JSON parser, which Gemini's
 * requests go through, ends (protobuf.dev, "Proto limits", 2025); the other two are ours, far above any honest tool.
 */
const LEVELS = 100
const VALUES = 200_000
const CHARACTERS = 1_000_000

/** Whether a document is too deep or too large to be sent; null when it is neither. */
export const extent = (root: Schema.Json): Violation | null => {
  const rest: Array<readonly [value: Schema.Json, level: number]> = [[root, 1]]
  let values = 0
  let characters = 0
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [value, level] = next
    values++
    characters += typeof value === "string" ? value.length : isObject(value) ? Object.keys(value).join("").length : 4
    if (level > LEVELS) return violation({ path: "" }, "depth", `it is nested more than ${LEVELS} levels deep`)
    if (values + rest.length > VALUES) return violation({ path: "" }, "size", `it holds more than ${VALUES} values`)
    if (characters > CHARACTERS) {
      return violation({ path: "" }, "size", `it is larger than ${CHARACTERS} characters`)
    }
    if (Array.isArray(value)) { for (const part of value) rest.push([part, level + 1]) }
    else if (isObject(value)) { for (const part of Object.values(value)) rest.push([part, level + 1]) }
  }
  return null
}

// Whether references lead somewhere. No provider fetches a schema from elsewhere.
//
// - OpenAI and servers like it: github.com/open-webui/computer/issues/87 (2026); strict, "reference can only point to
//   definitions defined at the top level of the schema" and "$ref cannot have keywords {'description'}":
//   github.com/camel-ai/camel/issues/3001 (2025-08-10).
// - Anthropic, `PointerToNowhere`: github.com/BerriAI/litellm/pull/28646 (2026-05-22). The API was also seen to accept one
//   that leads nowhere (github.com/openclaw/openclaw/issues/98588, 2026-07-02); the careful reading counts here.
// - Gemini, "reference to undefined schema at properties.target_object.anyOf.1":
//   github.com/google-gemini/gemini-cli/issues/13326 (2025-11-18).

/** What a reference inside the document leads to; undefined when it leads nowhere. */
export const target = (root: Schema.Json, reference: string): Schema.Json | undefined => {
  if (reference === "#") return root
  if (!reference.startsWith("#/")) return undefined
  let at: Schema.Json | undefined = root
  for (const step of reference.slice(2).split("/")) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~")
    at = isObject(at) && Object.hasOwn(at, key)
      ? at[key]
      : Array.isArray(at) && /^\d+$/.test(key)
      ? at[Number(key)]
      : undefined
  }
  return at
}

/** A step of a reference may be written as in an address, and may be wrong there. */
const decoded = (step: string): string => /^(?:[^%]|%[0-7][0-9a-fA-F])*$/.test(step) ? decodeURIComponent(step) : step

/** Each reference leads to a schema in the document. */
export const referencesResolve = (root: Schema.Json): Rule => (schema, place) => {
  const reference = schema["$ref"]
  if (typeof reference !== "string") return []
  const found = target(root, reference)
  return isObject(found) || typeof found === "boolean"
    ? []
    : [violation(place, "reference", `"${brief(reference)}" leads to no schema in the document`)]
}

/**
 * Places where a schema repeats itself without end: a cycle of references that no property one may leave out interrupts.
 * Google: "may only be used within non-required properties", see the rules for `parametersJsonSchema`.
 */
export const endless = (root: Schema.Json, all: ReadonlyArray<Places>): ReadonlyArray<Places> => {
  const referring = all.filter(({ schema }) => referenceOf(schema) !== null)
  const targets = new Set(["#", ...referring.map(({ schema }) => referenceOf(schema) ?? "#")])
  const edges = new Map([...targets].map((from) => [from, unavoidable(target(root, from) ?? {})]))
  const rest = withoutEnds(edges)
  return referring.filter(({ schema }) => rest.has(referenceOf(schema) ?? ""))
}

const referenceOf = (schema: Schema.Json): string | null =>
  isObject(schema) && typeof schema["$ref"] === "string" ? schema["$ref"] : null

/** The references in a schema that are not below a property one may leave out. */
const unavoidable = (schema: Schema.Json): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (part: Schema.Json): void => {
    if (!isObject(part)) return
    if (typeof part["$ref"] === "string") found.add(part["$ref"])
    const { $defs: _, definitions: __, properties, ...rest } = part
    const required = names(part["required"])
    const kept = isObject(properties) ? Object.entries(properties).filter(([name]) => required.includes(name)) : []
    kept.forEach(([, property]) => visit(property))
    inside(rest, { path: "", depth: 0 }).forEach(({ schema: inner }) => visit(inner))
  }
  visit(schema)
  return found
}

/** What is left when that which leads to an end is taken away, over and over: cycles, and what leads into them. */
const withoutEnds = (edges: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> => {
  const pairs = [...edges].flatMap(([from, to]) => [...to].map((one) => ({ from, to: one })))
  const sources = Map.groupBy(pairs, ({ to }) => to)
  const open = new Map([...edges].map(([from, to]) => [from, to.size]))
  const ended = [...edges.keys()].filter((from) => open.get(from) === 0)
  for (let end = ended.pop(); end !== undefined; end = ended.pop()) {
    open.delete(end)
    for (const { from } of sources.get(end) ?? []) {
      const left = (open.get(from) ?? 0) - 1
      open.set(from, left)
      if (left === 0) ended.push(from)
    }
  }
  return new Set(open.keys())
}

// Whether something is JSON Schema at all, draft 2020-12, which Anthropic and OpenAI check before anything else.
//
// - json-schema.org/draft/2020-12/schema, the meta-schema (2022-06-10).
// - Anthropic: "JSON schema is invalid. It must match JSON Schema draft 2020-12". Live for a tuple of draft 7:
//   github.com/openclaw/openclaw/issues/98588 (2026-07-02); for a boolean `exclusiveMinimum`:
//   github.com/Dokploy/mcp/issues/74 (2026-08-16).
// - OpenAI: "'object' is not of type 'object', 'boolean'": github.com/smallmain/vscode-unify-chat-provider/issues/162
//   (2026-05-03); "null is not of type "array"" for `required`: github.com/anomalyco/opencode/issues/35528 (2026-07-06);
//   tuples: github.com/oomkapwn/enquire-mcp/issues/354 (2026-07-18).

/** What a keyword must hold, in words; null when it does. */
type Check = (value: Schema.Json) => string | null

const expect = (words: string, is: (value: Schema.Json) => boolean): Check => (value) => is(value) ? null : words

const text = expect("a text", (value) => typeof value === "string")
const flag = expect("true or false", (value) => typeof value === "boolean")
const number = expect("a number", (value) => typeof value === "number")
const count = expect(
  "a whole number from 0",
  (value) => typeof value === "number" && Number.isInteger(value) && value >= 0
)
const list = expect("a list", Array.isArray)
const map = expect("an object", isObject)
const schemas = expect("a list with at least one schema", (value) => Array.isArray(value) && value.length > 0)
const isNames = (value: Schema.Json): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === "string") && new Set(value).size === value.length
const wellFormedNames = expect("a list of different names", isNames)

const TYPES: ReadonlyArray<Schema.Json> = ["null", "boolean", "object", "array", "number", "string", "integer"]
const type = expect(
  "one of JSON's types, or a list of different ones",
  (value) =>
    TYPES.includes(value) ||
    (Array.isArray(value) && value.length > 0 && isNames(value) && value.every((name) => TYPES.includes(name)))
)

const of = (check: Check, keywords: ReadonlyArray<string>): ReadonlyArray<readonly [string, Check]> =>
  keywords.map((keyword) => [keyword, check])

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ["type", type],
  ["required", wellFormedNames],
  ["items", expect("one schema; a list of them is an older draft's way", (value) => !Array.isArray(value))],
  ["multipleOf", expect("a number above 0", (value) => typeof value === "number" && value > 0)],
  ...of(text, ["title", "description", "format", "pattern", "$comment", "$schema", "$id", "$ref", "$anchor"]),
  ...of(text, ["contentEncoding", "contentMediaType"]),
  ...of(flag, ["uniqueItems", "deprecated", "readOnly", "writeOnly"]),
  ...of(number, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]),
  ...of(count, ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]),
  ...of(count, ["minContains", "maxContains"]),
  ...of(list, ["enum", "examples"]),
  ...of(map, ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired"]),
  ...of(schemas, ["anyOf", "oneOf", "allOf", "prefixItems"])
])

/** What is not a schema at a place, and keywords there that hold what they must not. */
export const wellFormed = (place: Places): ReadonlyArray<Violation> => {
  const { schema } = place
  if (typeof schema === "boolean") return []
  if (!isObject(schema)) return [violation(place, "not-a-schema", "a schema is an object, or true or false")]
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const expected = CHECKS.get(keyword)?.(value) ?? null
    return expected === null ? [] : [violation(place, "malformed", `"${keyword}" must be ${expected}`)]
  })
}

/**
 * OpenAI compiles each `pattern` by Python's `re`, which knows no `\p{…}`, `(?<name>…)` and `\u{…}`: "… is not a 'regex'",
 * github.com/pleaseai/shunt/pull/488 (2026-09-09).
 */
export const pythonPatterns: Rule = (schema, place) => {
  const { pattern } = schema
  return typeof pattern === "string" && !PYTHON.test(pattern)
    ? [violation(place, "pattern", `"${brief(pattern)}" is not a pattern that Python can read`)]
    : []
}

/** Every escape is taken as one piece, so that an escaped backslash begins none. */
const PYTHON = /^(?:[^\\(]|\\[^A-Za-z]|\\[aAbBdDfnNrsStvwWxZ]|\\u[0-9a-fA-F]{4}|\((?!\?<[^=!]))*$/s
