/**
 * Where the references of a converted schema lead: maps of the root alone, under names that need no escapes.
 */
import type * as Schema from "effect/Schema"
import type { References } from "../schema/References.ts"
import { under } from "./Conversion.ts"

type Maps = "$defs" | "definitions"

/** The definitions that one schema needs, as they are found. */
export class Definitions {
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
