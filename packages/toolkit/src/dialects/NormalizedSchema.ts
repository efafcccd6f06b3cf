/**
 * A schema that is sound by draft 2020-12 and stands on its own, whatever was declared: what Anthropic takes, and where
 * the narrower dialects begin.
 */
import type * as Schema from "effect/Schema"
import * as DraftUpgrade from "../schema/DraftUpgrade.ts"
import { isObject, names, own } from "../schema/JsonSchema.ts"
import { isSmall } from "../schema/JsonSize.ts"
import * as Keywords from "../schema/Keywords.ts"
import type { References } from "../schema/References.ts"
import { type Budget, DEPTH, identity, NODES, under } from "./Conversion.ts"
import * as DialectWords from "./DialectWords.ts"
import { Completion, type Place, type Walk } from "./SchemaCompletion.ts"

/** The schema of a root that is one object, as `ToolSchema.legal` makes it. */
export const normalized = (root: Schema.JsonObject, walk: Walk): Schema.JsonObject =>
  new NormalizedSchema(walk).root(root)

type Entry = readonly [key: string, value: Schema.Json]

class NormalizedSchema {
  readonly #walk: Walk
  readonly #budget: Budget = { nodes: NODES }
  readonly #definitions: Definitions
  readonly #completion: Completion

  constructor(walk: Walk) {
    this.#walk = walk
    this.#completion = new Completion(walk)
    this.#definitions = new Definitions(walk.references)
  }

  root(declared: Schema.JsonObject): Schema.JsonObject {
    const converted = this.schema(declared, { path: "", depth: 0, isBranch: false })
    return {
      ...converted,
      ...this.#definitions.all((schema, path) => this.schema(schema, { path, depth: 1, isBranch: false }))
    }
  }

  schema(given: Schema.Json, place: Place): Schema.JsonObject {
    if (given === false) return { not: {} }
    if (!isObject(given)) {
      if (given !== true) this.#walk.losses.add(place.path, `is no schema: ${DialectWords.brief(given, 40)}`)
      return {}
    }
    if (place.depth > DEPTH || --this.#budget.nodes < 0) return this.#bare(given, place)
    const at = DraftUpgrade.upgraded(given)
    const words: Array<string> = []
    const entries = Object.entries(at).flatMap(([key, value]) => this.#keyword(at, key, value, place, words))
    return DialectWords.saying(this.#completion.of(Object.fromEntries(entries), at, place), words)
  }

  #keyword(
    schema: Schema.JsonObject,
    key: string,
    value: Schema.Json,
    place: Place,
    words: Array<string>
  ): ReadonlyArray<Entry> {
    const at = { ...place, path: under(place.path, key), depth: place.depth + 1 }
    if (Keywords.SILENT.has(key) || Keywords.isOutdone(schema, key)) return []
    if (Keywords.ENCODINGS.has(key)) return this.#said(key, value, at, words)
    if (REFERENCES.has(key)) return this.#reference(value, at, words)
    if (key === "type") {
      return Keywords.types(value).length === 0
        ? this.#lost(at, value)
        : [[key, Keywords.typed(value)]]
    }
    if (key === "enum") return this.#enumeration(value, at, words)
    if (key === "properties") return this.#properties(value, at)
    // Filled in when the properties are known; here it takes its place.
    if (key === "required") return [[key, []]]
    if (key === "patternProperties") return this.#patterns(schema, value, at, words)
    if (key === "dependentRequired") return this.#dependentRequired(value, at)
    if (key === "dependentSchemas") return this.#dependentSchemas(value, at)
    if (Keywords.SCHEMAS.has(key)) return this.#inner(key, value, at)
    if (Keywords.LISTS.has(key)) return this.#list(key, value, at)
    if (Object.hasOwn(Keywords.PLAIN, key)) return this.#plain(key, value, at, words)
    // A word of the server's own, for instance `x-order`: harmless, unless it is large.
    return isSmall(value) ? [[key, value]] : this.#lost(at, value)
  }

  #plain(key: string, value: Schema.Json, place: Place, words: Array<string>): ReadonlyArray<Entry> {
    const isSound = Keywords.PLAIN[key]?.(value) ?? false
    if (!isSound) return this.#said(key, value, place, words)
    if (typeof value !== "string" || (key !== "description" && key !== "title")) return [[key, value]]
    const cleaned = DialectWords.cleaned(value, key === "title" ? DialectWords.TITLE : DialectWords.DESCRIPTION)
    if (value.length > cleaned.length && cleaned.endsWith("…")) this.#walk.losses.add(place.path, "is cut")
    return [[key, cleaned]]
  }

  #said(key: string, value: Schema.Json, place: Place, words: Array<string>): ReadonlyArray<Entry> {
    if (typeof value === "string" || Array.isArray(value)) words.push(DialectWords.of(key, value))
    return this.#lost(place, value)
  }

  #lost(place: Place, value: Schema.Json): ReadonlyArray<Entry> {
    this.#walk.losses.add(place.path, `cannot be sent: ${DialectWords.brief(value, 80)}`)
    return []
  }

  #reference(value: Schema.Json, place: Place, words: Array<string>): ReadonlyArray<Entry> {
    const reference = typeof value === "string" ? this.#definitions.refer(value) : undefined
    if (reference !== undefined) return [["$ref", reference]]
    words.push(`A schema that is kept elsewhere: ${DialectWords.brief(value, 120)}.`)
    return this.#lost(place, value)
  }

  #enumeration(value: Schema.Json, place: Place, words: Array<string>): ReadonlyArray<Entry> {
    const values = Array.isArray(value) ? value : []
    if (values.length === 0) return this.#lost(place, value)
    const different = new Map(
      values.slice(0, DialectWords.VALUES + 1).flatMap((one) => {
        const known = identity(one)
        return known === undefined ? [] : [[known, one] as const]
      })
    )
    const characters = [...different.keys()].reduce((sum, known) => sum + known.length, 0)
    if (values.length > DialectWords.VALUES || characters > DialectWords.VALUES_CHARACTERS || different.size === 0) {
      words.push(`One of ${values.length} values, for instance ${DialectWords.listed(values.slice(0, 40))}.`)
      return this.#lost(place, `${values.length} values`)
    }
    return [["enum", different.size === values.length ? values : [...different.values()]]]
  }

  #properties(value: Schema.Json, place: Place): ReadonlyArray<Entry> {
    if (!isObject(value)) return this.#lost(place, value)
    const entries = Object.entries(value).filter(([, property]) => property !== false)
    const kept = entries.slice(0, NODES)
    if (kept.length < entries.length) this.#walk.losses.add(place.path, `${kept.length} of ${entries.length} are sent`)
    return [[
      "properties",
      Object.fromEntries(kept.map(([name, property]) => {
        const alias = this.#walk.names.alias(name)
        const path = under(place.path, name)
        const converted = this.schema(property, { path, depth: place.depth, isBranch: false })
        return [
          alias,
          alias === name
            ? converted
            : DialectWords.saying(converted, [`The server calls it ${DialectWords.brief(name, 100)}.`])
        ]
      }))
    ]]
  }

  /**
   * Anthropic was told to refuse some and seen to take others (github.com/openclaw/openclaw/issues/98588, 2026-07-02):
   * none is sent. One pattern alone tells at least what the values are.
   */
  #patterns(
    schema: Schema.JsonObject,
    value: Schema.Json,
    place: Place,
    words: Array<string>
  ): ReadonlyArray<Entry> {
    this.#lost(place, value)
    if (!isObject(value)) return []
    words.push(DialectWords.of("patternProperties", value))
    const patterns = Object.values(value)
    if (patterns.length !== 1 || isObject(own(schema, "additionalProperties"))) return []
    const only = patterns[0] ?? {}
    return [["additionalProperties", this.schema(only, { ...place, isBranch: false })]]
  }

  #dependentRequired(value: Schema.Json, place: Place): ReadonlyArray<Entry> {
    if (!isObject(value)) return this.#lost(place, value)
    const entries = Object.entries(value).filter(([, needed]) => Array.isArray(needed))
    const needed = entries.map((
      [name, others]
    ) => [this.#walk.names.alias(name), this.#completion.aliases(names(others))])
    return [["dependentRequired", Object.fromEntries(needed)]]
  }

  #dependentSchemas(value: Schema.Json, place: Place): ReadonlyArray<Entry> {
    if (!isObject(value)) return this.#lost(place, value)
    return [[
      "dependentSchemas",
      Object.fromEntries(
        Object.entries(value).map(([name, schema]) => [
          this.#walk.names.alias(name),
          this.schema(schema, { ...place, isBranch: true })
        ])
      )
    ]]
  }

  #inner(key: string, value: Schema.Json, place: Place): ReadonlyArray<Entry> {
    if (!Keywords.isSchema(value)) return this.#lost(place, value)
    if (value === false || (value === true && key !== "items")) return [[key, value]]
    const converted = this.schema(value, { ...place, isBranch: Keywords.BRANCHES.has(key) })
    const isEmpty = key === "propertyNames" && Object.keys(converted).every((name) => name === "type")
    return isEmpty ? [] : [[key, converted]]
  }

  #list(key: string, value: Schema.Json, place: Place): ReadonlyArray<Entry> {
    const schemas = Array.isArray(value) ? value.filter(Keywords.isSchema) : []
    if (schemas.length === 0) return this.#lost(place, value)
    const kept = schemas.slice(0, NODES)
    return [[
      key,
      kept.map((schema, index) =>
        this.schema(schema, {
          path: under(place.path, index),
          depth: place.depth,
          isBranch: Keywords.BRANCHES.has(key)
        })
      )
    ]]
  }

  /** The type alone, for a schema that is too deep or one of too many. */
  #bare(given: Schema.JsonObject, place: Place): Schema.JsonObject {
    this.#walk.losses.add(place.path, "is left out: too deep or one of too many")
    const kinds = Keywords.types(own(given, "type") ?? null)
    const type = kinds.length === 0 ? {} : { type: Keywords.typed(own(given, "type") ?? null) }
    return this.#completion.of(type, {}, { ...place, isBranch: true })
  }
}

const REFERENCES: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"])

type Maps = "$defs" | "definitions"

class Definitions {
  readonly #references: References
  readonly #needed = new Map<string, { readonly map: Maps; readonly name: string; readonly schema: Schema.Json }>()
  readonly #known = new Map<Schema.Json, string>()

  constructor(references: References) {
    this.#references = references
  }

  /** The reference to what another refers to: the same where that leads to a definition of the root. */
  refer(declared: string): string | undefined {
    const target = this.#references.target(declared)
    if (target === undefined) return undefined
    const known = this.#known.get(target.schema)
    if (known !== undefined) return known
    const map = target.map ?? "$defs"
    const isKept = target.map !== null && NAME.test(target.name)
    const name = isKept ? target.name : this.#free(map, safe(target.name))
    const reference = `#/${map}/${name}`
    this.#needed.set(reference, { map, name, schema: target.schema })
    this.#known.set(target.schema, reference)
    return reference
  }

  /** Every definition that is referred to, also by another, in the maps that a root has for them. */
  all(convert: (schema: Schema.Json, path: string) => Schema.JsonObject): Schema.JsonObject {
    const maps: Record<Maps, Array<readonly [string, Schema.JsonObject]>> = { $defs: [], definitions: [] }
    // Grows while it is walked.
    for (const { map, name, schema } of this.#needed.values()) {
      maps[map].push([name, convert(schema, under("", map, name))])
    }
    return Object.fromEntries(
      Object.entries(maps).flatMap(([map, entries]) => entries.length === 0 ? [] : [[map, Object.fromEntries(entries)]])
    )
  }

  #free(map: Maps, wanted: string): string {
    let name = wanted
    const isTaken = () => {
      const reference = `#/${map}/${name}`
      return this.#needed.has(reference) || this.#references.target(reference) !== undefined
    }
    for (let next = 2; isTaken(); next++) name = `${wanted}_${next}`
    return name
  }
}

const NAME = /^[a-zA-Z0-9_.-]{1,100}$/

const safe = (name: string): string => {
  const plain = name.replaceAll(/[^a-zA-Z0-9_.-]/g, "_").slice(0, 60)
  return plain === "" ? "schema" : plain
}
