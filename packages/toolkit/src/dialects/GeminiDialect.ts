/**
 * The schemas that Google's Gemini takes as parameters of a function.
 *
 * The reference of Vertex AI (https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Schema,
 * "last updated 2025-09-05"; …/rest/v1beta1/FunctionDeclaration, undated) and errors of the Gemini API describe a
 * subset of OpenAPI 3.0: one `type`, `nullable`, enums of text, and parameters called `[a-zA-Z_][a-zA-Z0-9_]{0,63}`.
 *
 * Gemini turns `parametersJsonSchema` into the same and refuses it for the same reasons. Its list of keywords lacks
 * `pattern`, lengths, `default` and `nullable`, so descriptions say these; they say `nullable` of required properties
 * only, because a model leaves out the others. Reports of 2025 and 2026 saw refused: anything beside `anyOf`, an empty
 * text in an enum, an enum of numbers, `required` names without a property, arrays without typed `items`, formats of
 * text other than `date-time` and `enum`.
 */
import type * as Schema from "effect/Schema"
import { isObject, names, objects, own } from "../schema/JsonSchema.ts"
import { type Budget, distinct, type Losses, under } from "./Conversion.ts"
import * as DialectWords from "./DialectWords.ts"
import { type At, bottom, inside, SchemaFlattener } from "./FlattenedSchema.ts"
import type { TypeBranch, TypeBranches } from "./TypeBranches.ts"

export const gemini = (root: Schema.JsonObject, losses: Losses, budget: Budget): Schema.JsonObject => {
  const writer = new GeminiDialect(new SchemaFlattener(root, losses, budget), losses)
  return writer.schema(root, { path: "", trail: [], depth: 0 })
}

/** Schemas of more than 32 levels are refused as too complex, and a union at each place makes two of one. */
const DEPTH = 13

class GeminiDialect {
  readonly #flattener: SchemaFlattener
  readonly #losses: Losses

  constructor(flattener: SchemaFlattener, losses: Losses) {
    this.#flattener = flattener
    this.#losses = losses
  }

  schema(given: Schema.JsonObject, at: At): Schema.JsonObject {
    const isDeep = at.depth > DEPTH
    if (isDeep) this.#losses.add(at.path, "is left out: too deep")
    const flat = this.#flattener.of(isDeep ? bottom(given) : given, at)
    const all = this.#branches(flat, at).map((branch) => this.#branch(branch, at))
    const [first, ...others] = flat.isAny ? all : distinct(all)
    const words = flat.description === undefined ? [] : [flat.description]
    const nullable = flat.isNullable || flat.isAny ? { nullable: true } : {}
    // Only null is accepted: a text that may be null is the nearest.
    if (first === undefined) {
      return { ...DialectWords.saying({ type: "string" }, [...words, ALWAYS_NULL]), nullable: true }
    }
    const said = { ...before(first, words), ...nullable }
    // Nothing may stand beside "anyOf".
    return others.length === 0 ? said : { anyOf: [said, ...others] }
  }

  #branches(flat: TypeBranches, at: At): ReadonlyArray<TypeBranch> {
    if (!flat.isAny) return flat.branches
    const of = (type: string, schema: Schema.JsonObject = {}): TypeBranch => ({
      type,
      trail: at.trail,
      schema: { ...schema, type }
    })
    const any = [of("string"), of("number"), of("boolean"), of("object"), of("array", { items: { type: "string" } })]
    return any.map((branch, index) => index === 0 ? { ...branch, schema: { ...flat.rest, ...branch.schema } } : branch)
  }

  #branch({ schema, trail, type }: TypeBranch, at: At): Schema.JsonObject {
    const inner = { ...at, trail }
    const kept = Object.entries(schema).filter(([key, value]) => KEPT[type]?.has(key) && isKept(type, key, value))
    const values = own(schema, "enum")
    const texts = Array.isArray(values) ? values.filter((value) => typeof value === "string" && value !== "") : []
    const isListed = type === "string" && Array.isArray(values) && texts.length === values.length
    const words = Object.entries(schema).filter(([key]) => !kept.some(([known]) => known === key))
      .flatMap(([key, value]) => this.#words(type, key, value, inner))
    return DialectWords.saying({
      ...Object.fromEntries(kept),
      type,
      ...(isListed ? { enum: values } : {}),
      ...(type === "object" ? this.#object(schema, inner) : {}),
      ...(type === "array" ? { items: this.#items(own(schema, "items"), inner) } : {})
    }, [...words, ...(isListed || !Array.isArray(values) ? [] : this.#values(values, at))])
  }

  #values(values: ReadonlyArray<Schema.Json>, at: At): ReadonlyArray<string> {
    this.#losses.add(under(at.path, "enum"), "values that are not text, or empty, are said in words")
    return [`One of: ${DialectWords.listed(values)}.`]
  }

  #words(type: string, key: string, value: Schema.Json, at: At): ReadonlyArray<string> {
    if (OWN.has(key) || (key === "format" && type !== "string")) return []
    if (!SILENT.has(key)) this.#losses.add(under(at.path, key), "is said in words")
    return [DialectWords.of(key, value)]
  }

  #object(schema: Schema.JsonObject, at: At): Schema.JsonObject {
    const given = own(schema, "properties")
    const entries = isObject(given) ? Object.entries(given) : []
    const required = new Set(names(own(schema, "required")).filter((name) => own(given, name) !== undefined))
    const properties = entries.map(([name, property]) => {
      const said = this.schema(isObject(property) ? property : {}, inside(at, "properties", name))
      return [name, required.has(name) ? sayingNull(said) : said] as const
    })
    return {
      properties: Object.fromEntries(properties),
      ...(required.size === 0 ? {} : { required: [...required] })
    }
  }

  #items(given: Schema.Json | undefined, at: At): Schema.JsonObject {
    return this.schema(isObject(given) ? given : {}, inside(at, "items"))
  }
}

const ALWAYS_NULL = "Always null."

/** A property that may be left out need not be null. */
const sayingNull = (schema: Schema.JsonObject): Schema.JsonObject => {
  const [first, ...others] = objects(own(schema, "anyOf"))
  if (first !== undefined) return { ...schema, anyOf: [sayingNull(first), ...others] }
  const { description } = schema
  const isSaid = typeof description === "string" && description.includes(ALWAYS_NULL)
  return own(schema, "nullable") === true && !isSaid ? DialectWords.saying(schema, ["May be null."]) : schema
}

/** The words of the whole come before those of its first kind. */
const before = (schema: Schema.JsonObject, words: ReadonlyArray<string>): Schema.JsonObject => {
  const own = typeof schema["description"] === "string" ? [schema["description"]] : []
  if (words.length === 0) return schema
  const { description: _, ...rest } = schema
  return DialectWords.saying(DialectWords.saying(rest, words), own)
}

const COMMON = ["title", "description"]
const NUMBER = new Set([...COMMON, "minimum", "maximum", "format"])

const KEPT: Record<string, ReadonlySet<string>> = {
  string: new Set([...COMMON, "format"]),
  number: NUMBER,
  integer: NUMBER,
  boolean: new Set(COMMON),
  array: new Set([...COMMON, "minItems", "maxItems"]),
  object: new Set(COMMON)
}

const FORMATS: Record<string, ReadonlyArray<string>> = {
  string: ["date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"]
}

const isKept = (type: string, key: string, value: Schema.Json): boolean =>
  key !== "format" || (typeof value === "string" && (FORMATS[type] ?? []).includes(value))

/** Keywords that are written by themselves. */
const OWN: ReadonlySet<string> = new Set(["type", "enum", "properties", "required", "items"])

/** Keywords that words lose nothing of. */
const SILENT: ReadonlySet<string> = new Set(["default", "examples", "deprecated", "readOnly", "writeOnly"])
