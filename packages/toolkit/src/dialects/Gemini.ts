/**
 * What Google's Gemini takes as the parameters of a function.
 *
 * By the reference of `Schema` and `FunctionDeclaration` (https://ai.google.dev/api/caching#Schema, as of September 2026;
 * https://docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration, as of September 2026): a subset
 * of OpenAPI 3.0 with one `type`, `nullable`, enums of text, and parameters called `[a-zA-Z_][a-zA-Z0-9_]{0,63}`. What is
 * sent as `parametersJsonSchema` is turned into the same and refused for the same; its list of keywords lacks `pattern`,
 * lengths and `default`, so these are said in words. Seen refused, in reports of 2025 and 2026: anything beside `anyOf`,
 * an empty text in an enum, an enum of numbers, `required` names without a property, arrays without typed `items`,
 * formats of text other than `date-time` and `enum`.
 */
import type * as Schema from "effect/Schema"
import { isObject, names } from "../JsonSchema.ts"
import { distinct, type Losses, own, under } from "./Conversion.ts"
import { type At, bottom, inside, type Meaning, Meanings, type Single } from "./Meaning.ts"
import * as Words from "./Words.ts"

/** The schema of a sound root. `nodes` bounds what its references may grow to. */
export const gemini = (root: Schema.JsonObject, losses: Losses, nodes: number): Schema.JsonObject => {
  const writer = new Gemini(new Meanings(root, losses, nodes), losses)
  return writer.schema(root, { path: "", trail: [], depth: 0 })
}

/** Schemas of more than 32 levels are refused as too complex, and a union at each place makes two of one. */
const DEPTH = 13

class Gemini {
  readonly #meanings: Meanings
  readonly #losses: Losses

  constructor(meanings: Meanings, losses: Losses) {
    this.#meanings = meanings
    this.#losses = losses
  }

  schema(given: Schema.JsonObject, at: At): Schema.JsonObject {
    const isDeep = at.depth > DEPTH
    if (isDeep) this.#losses.add(at.path, "is left out: too deep")
    const meaning = this.#meanings.of(isDeep ? bottom(given) : given, at)
    const [first, ...others] = distinct(this.#singles(meaning, at).map((single) => this.#single(single, at)))
    const words = meaning.description === undefined ? [] : [meaning.description]
    const nullable = meaning.isNullable ? { nullable: true } : {}
    // Only null is accepted: a text that may be null is the nearest.
    if (first === undefined) return { ...Words.saying({ type: "string" }, [...words, "Always null."]), nullable: true }
    const said = { ...before(first, words), ...nullable }
    // Nothing may stand beside "anyOf".
    return others.length === 0 ? said : { anyOf: [said, ...others] }
  }

  #singles(meaning: Meaning, at: At): ReadonlyArray<Single> {
    if (!meaning.isAny) return meaning.singles
    const of = (type: string, schema: Schema.JsonObject = {}): Single => ({
      type,
      trail: at.trail,
      schema: { ...schema, type }
    })
    const any = [of("string"), of("number"), of("boolean"), of("object"), of("array", { items: { type: "string" } })]
    return any.map((single, index) =>
      index === 0 ? { ...single, schema: { ...meaning.rest, ...single.schema } } : single
    )
  }

  #single({ schema, trail, type }: Single, at: At): Schema.JsonObject {
    const inner = { ...at, trail }
    const kept = Object.entries(schema).filter(([key, value]) => KEPT[type]?.has(key) && isKept(type, key, value))
    const values = own(schema, "enum")
    const texts = Array.isArray(values) ? values.filter((value) => typeof value === "string" && value !== "") : []
    const isListed = type === "string" && Array.isArray(values) && texts.length === values.length
    const words = Object.entries(schema).filter(([key]) => !kept.some(([known]) => known === key))
      .flatMap(([key, value]) => this.#words(type, key, value, inner))
    return Words.saying({
      ...Object.fromEntries(kept),
      type,
      ...(isListed ? { enum: values } : {}),
      ...(type === "object" ? this.#object(schema, inner) : {}),
      ...(type === "array" ? { items: this.#items(own(schema, "items"), inner) } : {})
    }, [...words, ...(isListed || !Array.isArray(values) ? [] : this.#values(values, at))])
  }

  #values(values: ReadonlyArray<Schema.Json>, at: At): ReadonlyArray<string> {
    this.#losses.add(under(at.path, "enum"), "values that are not text, or empty, are said in words")
    return [`One of: ${Words.listed(values)}.`]
  }

  #words(type: string, key: string, value: Schema.Json, at: At): ReadonlyArray<string> {
    if (OWN.has(key) || (key === "format" && type !== "string")) return []
    if (!SILENT.has(key)) this.#losses.add(under(at.path, key), "is said in words")
    return [Words.of(key, value)]
  }

  #object(schema: Schema.JsonObject, at: At): Schema.JsonObject {
    const given = own(schema, "properties")
    const entries = isObject(given) ? Object.entries(given) : []
    const properties = entries.map(([name, property]) =>
      [
        name,
        this.schema(isObject(property) ? property : {}, inside(at, "properties", name))
      ] as const
    )
    const required = names(own(schema, "required")).filter((name) => isObject(given) && Object.hasOwn(given, name))
    return {
      properties: Object.fromEntries(properties),
      ...(required.length === 0 ? {} : { required: [...new Set(required)] })
    }
  }

  #items(given: Schema.Json | undefined, at: At): Schema.JsonObject {
    return this.schema(isObject(given) ? given : {}, inside(at, "items"))
  }
}

/** The words of the whole come before those of its first kind. */
const before = (schema: Schema.JsonObject, words: ReadonlyArray<string>): Schema.JsonObject => {
  const own = typeof schema["description"] === "string" ? [schema["description"]] : []
  if (words.length === 0) return schema
  const { description: _, ...rest } = schema
  return Words.saying(Words.saying(rest, words), own)
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
