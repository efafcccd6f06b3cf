/**
 * The schemas that OpenAI takes for functions, and that servers of the same shape take.
 *
 * Its guide "Function calling" (https://developers.openai.com/api/docs/guides/function-calling) asks for an object at
 * the root and leaves the rest to its errors, as reported until 2026: "schema must have type 'object' and not have
 * 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"; "object schema missing properties"; "array schema missing
 * items", also where `prefixItems` are; what is not valid by draft 2020-12 ("is not of type 'object', 'boolean'"). The
 * guide also says, since 1 April 2026 by its history at spybara.com/openai/api, that the Responses API makes schemas
 * strict by itself where `strict` is left out, which makes optional parameters required: send this dialect with
 * `strict: false`. Gateways pass its requests on to Anthropic, so names of properties are held to what that takes.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isObject, names, own } from "../schema/JsonSchema.ts"
import { type Budget, distinct, type Losses, under } from "./Conversion.ts"
import * as DialectWords from "./DialectWords.ts"
import { type At, inside, SchemaFlattener } from "./FlattenedSchema.ts"
import type { Walk } from "./SchemaCompletion.ts"
import type { TypeBranch, TypeBranches } from "./TypeBranches.ts"

/** How `NormalizedSchema` walks a schema for OpenAI. */
export const openai: Pick<Walk, "hasTuples"> = { hasTuples: false }

/**
 * How many characters of a tool's description it takes; more and the whole request is refused ("string too long.
 * Expected a string with maximum length 1024", chat completions and responses alike).
 */
export const DESCRIPTION_CHARACTERS = 1024

/**
 * The schema of a sound root for a function with `strict: true`, or why it cannot be strict: the tool is then sent in
 * the dialect `openai`. `budget` is for what its references grow to.
 *
 * By "Supported schemas" in the guide "Structured outputs"
 * (https://developers.openai.com/api/docs/guides/structured-outputs), as
 * jsonschemaprofiles.unitvectorylabs.com/schemas/openai tells it for February 2026: every object is closed, every
 * property required, optional ones are nullable, and `anyOf` stands below the root only. There is no `allOf`, `oneOf`,
 * `not`, condition or map. At most 5000 properties, 10 levels, 1000 enum values, 120,000 characters of names and
 * values, 15,000 of one enum with more than 250 values. A schema needs a `type`, and nothing stands beside a reference,
 * so references are written out.
 */
export const strict = (
  root: Schema.JsonObject,
  losses: Losses,
  budget: Budget
): Result.Result<Schema.JsonObject, string> => {
  const writer = new Strict(new SchemaFlattener(root, losses, budget), losses)
  const schema = writer.schema(root, { path: "", trail: [], depth: 0 }, 0, false)
  const reason = writer.reason ?? writer.overLimit
  return reason === undefined ? Result.succeed(schema) : Result.fail(reason)
}

class Strict {
  readonly #flattener: SchemaFlattener
  readonly #losses: Losses
  #reason: string | undefined
  #properties = 0
  #values = 0
  #characters = 0

  constructor(flattener: SchemaFlattener, losses: Losses) {
    this.#flattener = flattener
    this.#losses = losses
  }

  /** The first thing that no strict schema can say. */
  get reason(): string | undefined {
    return this.#reason
  }

  get overLimit(): string | undefined {
    if (this.#properties > 5000) return `${this.#properties} properties, and 5000 are allowed`
    if (this.#values > 1000) return `${this.#values} enum values, and 1000 are allowed`
    return this.#characters > 120_000 ? `${this.#characters} characters of names, and 120000 are allowed` : undefined
  }

  schema(given: Schema.JsonObject, at: At, depth: number, isOptional: boolean): Schema.JsonObject {
    const flat = this.#flattener.of(given, at)
    if (flat.isAny) this.#cannot(at, "takes a value of any kind")
    const all = this.#reason === undefined ? flat.branches.map((branch) => this.#branch(branch, at, depth)) : []
    const branches = distinct(all)
    const isNullable = flat.isNullable || isOptional
    const [only = { type: "null" }, ...others] = branches
    const said = flat.description === undefined ? {} : { description: flat.description }
    if (others.length > 0) return { ...said, anyOf: [...branches, ...(isNullable ? [{ type: "null" }] : [])] }
    return describedAs(isNullable ? nullable(only) : only, flat)
  }

  #cannot(at: At, why: string): void {
    this.#reason ??= `${at.path === "" ? "the schema" : at.path} ${why}`
  }

  #branch({ schema, trail, type }: TypeBranch, at: At, depth: number): Schema.JsonObject {
    const inner = { ...at, trail }
    const kept = Object.entries(schema).filter(([key, value]) => KEPT[type]?.has(key) && isKept(key, value))
    const words = Object.entries(schema).filter(([key]) => !kept.some(([known]) => known === key))
      .flatMap(([key, value]) => this.#words(type, key, value, inner))
    this.#count(own(schema, "enum"), at)
    return DialectWords.saying({
      ...Object.fromEntries(kept),
      type,
      ...(type === "object" ? this.#object(schema, inner, depth + 1) : {}),
      ...(type === "array" ? { items: this.#items(own(schema, "items"), inner, depth) } : {})
    }, words)
  }

  #count(values: Schema.Json | undefined, at: At): void {
    if (!Array.isArray(values)) return
    const characters = values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0)
    this.#values += values.length
    this.#characters += characters
    if (values.length > 250 && characters > 15_000) this.#cannot(at, "lists too many values")
  }

  #words(type: string, key: string, value: Schema.Json, at: At): ReadonlyArray<string> {
    if (OWN.has(key) || (type === "object" && key === "additionalProperties")) return []
    this.#losses.add(under(at.path, key), "is said in words")
    return [DialectWords.of(key, value)]
  }

  #object(schema: Schema.JsonObject, at: At, depth: number): Schema.JsonObject {
    const given = own(schema, "properties")
    const entries = isObject(given) ? Object.entries(given) : []
    const further = own(schema, "additionalProperties")
    const isRoot = at.path === ""
    if (isObject(further) || further === true) this.#cannot(at, "is a map")
    if (entries.length === 0 && further !== false && !(isRoot && further === undefined)) {
      this.#cannot(at, "is an object of any kind")
    }
    if (depth > LEVELS) this.#cannot(at, `is deeper than ${LEVELS} levels`)
    // Beyond a limit the rest need not be read.
    this.#reason ??= this.overLimit
    const required = new Set(names(own(schema, "required")))
    const properties = entries.map(([name, property]) => {
      this.#properties++
      this.#characters += name.length
      const place = inside(at, "properties", name)
      const value = isObject(property) ? property : {}
      return [
        name,
        this.#reason === undefined ? this.schema(value, place, depth, !required.has(name)) : {}
      ] as const
    })
    return {
      properties: Object.fromEntries(properties),
      required: properties.map(([name]) => name),
      additionalProperties: false
    }
  }

  #items(given: Schema.Json | undefined, at: At, depth: number): Schema.JsonObject {
    return this.schema(isObject(given) ? given : {}, inside(at, "items"), depth, false)
  }
}

const LEVELS = 10

const nullable = (schema: Schema.JsonObject): Schema.JsonObject => {
  const values = own(schema, "enum")
  const type = own(schema, "type") ?? "null"
  return {
    ...schema,
    type: type === "null" ? type : [type, "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {})
  }
}

const describedAs = (schema: Schema.JsonObject, flat: TypeBranches): Schema.JsonObject => {
  if (flat.description === undefined) return schema
  const own = typeof schema["description"] === "string" ? [schema["description"]] : []
  const { description: _, ...rest } = schema
  return DialectWords.saying(DialectWords.saying(rest, [flat.description]), own)
}

const NUMBER = new Set([
  "description",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf"
])

const KEPT: Record<string, ReadonlySet<string>> = {
  string: new Set(["description", "enum", "pattern", "format"]),
  number: NUMBER,
  integer: NUMBER,
  boolean: new Set(["description", "enum"]),
  array: new Set(["description", "minItems", "maxItems"]),
  object: new Set(["description"])
}

const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]

const isKept = (key: string, value: Schema.Json): boolean => {
  if (typeof value !== "string") return true
  if (key === "format") return FORMATS.includes(value)
  return key !== "pattern" || !value.includes("(?")
}

/** Keywords that are written by themselves. */
const OWN: ReadonlySet<string> = new Set(["type", "enum", "properties", "required", "items", "title"])
