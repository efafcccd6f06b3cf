/** Adds what providers require: properties of objects, items of arrays, a property for each required name. */
import type * as Schema from "effect/Schema"
import { isObject, objects, own, without } from "../schema/JsonSchema.ts"
import * as Keywords from "../schema/Keywords.ts"
import type { References } from "../schema/References.ts"
import { identity, type Losses, NODES, under } from "./Conversion.ts"
import * as DialectWords from "./DialectWords.ts"
import type { PropertyNames } from "./PropertyNames.ts"

export interface Walk {
  readonly references: References
  readonly names: PropertyNames
  readonly losses: Losses
  /** Whether the dialect knows arrays whose items have kinds of their own. */
  readonly hasTuples: boolean
}

export interface Place {
  readonly path: string
  readonly depth: number
  /** True in a combinator: another schema may hold the missing keywords. */
  readonly isBranch: boolean
}

export class Completion {
  readonly #walk: Walk

  constructor(walk: Walk) {
    this.#walk = walk
  }

  /** Each name once, as the dialect has it. */
  aliases(declared: ReadonlyArray<string>): ReadonlyArray<string> {
    return [...new Set(declared)].map((name) => this.#walk.names.alias(name))
  }

  /** With `properties`, `items`, and a property for every name that is required. */
  of(converted: Schema.JsonObject, given: Schema.JsonObject, place: Place): Schema.JsonObject {
    const kinds = Keywords.types(converted["type"] ?? null)
    const properties = own(converted, "properties") ?? (kinds.includes("object") ? {} : undefined)
    const required = this.#required(Keywords.requiredOf(given), properties, converted, place)
    const full = isObject(properties) && !place.isBranch ? this.#filled(properties, required) : properties
    const said = own(given, "required")
    const isAsked = required.length > 0 || (Array.isArray(said) && said.length === 0)
    const complete = {
      ...converted,
      ...(full === undefined ? {} : { properties: full }),
      ...(isAsked ? { required } : {}),
      ...(kinds.includes("array") && own(converted, "items") === undefined ? { items: {} } : {})
    }
    const kept = isAsked ? complete : without(complete, new Set(["required"]))
    return this.#walk.hasTuples ? kept : this.#untupled(kept, place)
  }

  /** A model can give only properties that it sees. */
  #filled(properties: Schema.JsonObject, required: ReadonlyArray<string>): Schema.JsonObject {
    const missing = required.filter((name) => !Object.hasOwn(properties, name))
    return missing.length === 0
      ? properties
      : { ...properties, ...Object.fromEntries(missing.map((name) => [name, {}])) }
  }

  #untupled(schema: Schema.JsonObject, place: Place): Schema.JsonObject {
    const items = own(schema, "items")
    const tuple = objects(own(schema, "prefixItems"))
    if (tuple.length === 0) return items === false ? { ...schema, items: { not: {} } } : schema
    this.#walk.losses.add(under(place.path, "prefixItems"), "the order of its kinds is said in words")
    const rest = isObject(items) && Object.keys(items).length > 0 ? [items] : []
    const different = new Map([...tuple, ...rest].map((item, index) => [identity(item) ?? index, item]))
    const [first = {}, ...others] = different.values()
    const most = items === false && own(schema, "maxItems") === undefined ? { maxItems: tuple.length } : {}
    const plain = without(schema, new Set(["prefixItems"]))
    const union = { ...plain, ...most, items: others.length === 0 ? first : { anyOf: [first, ...others] } }
    const order = tuple.map((item) =>
      DialectWords.brief(own(item, "title") ?? own(item, "type") ?? item, 60).replaceAll("\"", "")
    )
    return DialectWords.saying(union, [`Items in this order: ${order.slice(0, 20).join(", ")}.`])
  }

  #required(
    declared: ReadonlyArray<string>,
    properties: Schema.Json | undefined,
    converted: Schema.JsonObject,
    place: Place
  ): ReadonlyArray<string> {
    const required = this.aliases(declared.slice(0, NODES))
    if (place.isBranch || !isObject(properties)) return required
    const isClosed = own(converted, "additionalProperties") === false
    return required.filter((name) => {
      const isThere = Object.hasOwn(properties, name) || !isClosed
      if (!isThere) this.#walk.losses.add(under(place.path, "required"), `no property is called ${name.slice(0, 80)}`)
      return isThere
    })
  }
}
