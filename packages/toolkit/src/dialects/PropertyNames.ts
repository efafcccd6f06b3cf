/** Names of properties that a dialect takes for those that it refuses, one to one over the whole of a schema. */
import type * as Schema from "effect/Schema"
import { isObject, names as namesOf } from "../schema/JsonSchema.ts"

/** Which names a dialect takes, and what makes one of any text. */
export interface Naming {
  readonly legal: RegExp
  /** Stands before a name whose first character is none. */
  readonly first: RegExp
}

/**
 * `^[a-zA-Z0-9_.-]{1,64}$`: what Anthropic asks of the properties of the root. Gateways of OpenAI's dialect pass
 * requests on to it.
 */
export const COMMON: Naming = { legal: /^[a-zA-Z0-9_.-]{1,64}$/, first: /^/ }

/** Google asks that a parameter begins with a letter or an underscore. */
export const IDENTIFIER: Naming = { legal: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, first: /^[a-zA-Z_]/ }

export class PropertyNames {
  /** By the name as declared. */
  readonly #aliases = new Map<string, string>()
  readonly #declared = new Map<string, string>()

  constructor(root: Schema.JsonObject, naming: Naming) {
    // In an order of their own, so that a server that shuffles its properties keeps the same aliases.
    const found = [...namesOnce(root)].toSorted()
    const taken = new Set(found.filter((name) => isLegal(naming, name)))
    const suffixes = new Map<string, number>()
    for (const name of found) {
      if (isLegal(naming, name)) continue
      const alias = free(safe(naming, name), taken, suffixes)
      taken.add(alias)
      this.#aliases.set(name, alias)
      this.#declared.set(alias, name)
    }
  }

  get isEmpty(): boolean {
    return this.#aliases.size === 0
  }

  alias(name: string): string {
    return this.#aliases.get(name) ?? name
  }

  /** The declared name of a property of the dialect. No alias is the name of a declared property. */
  declared(alias: string): string {
    return this.#declared.get(alias) ?? alias
  }
}

// JSON readers refuse arguments that hold it.
const isLegal = (naming: Naming, name: string): boolean => naming.legal.test(name) && name !== "__proto__"

const LENGTH = 64

const safe = (naming: Naming, name: string): string => {
  const plain = name.slice(0, LENGTH).replaceAll(naming === IDENTIFIER ? /[^a-zA-Z0-9_]/g : /[^a-zA-Z0-9_.-]/g, "_")
  const begun = naming.first.test(plain) ? plain : `_${plain}`
  const known = begun === "" ? "_" : begun === "__proto__" ? "_proto_" : begun
  return known.slice(0, LENGTH)
}

const free = (wanted: string, taken: ReadonlySet<string>, suffixes: Map<string, number>): string => {
  let name = wanted
  while (taken.has(name)) {
    const next = (suffixes.get(wanted) ?? 1) + 1
    suffixes.set(wanted, next)
    const suffix = `_${next}`
    name = `${wanted.slice(0, LENGTH - suffix.length)}${suffix}`
  }
  return name
}

const SEARCHED = 50_000

/** Every dialect asks for the names of the same schemas. */
const KNOWN = new WeakMap<Schema.JsonObject, ReadonlySet<string>>()

const namesOnce = (root: Schema.JsonObject): ReadonlySet<string> => {
  const found = KNOWN.get(root) ?? named(root)
  KNOWN.set(root, found)
  return found
}

/** Every name that may be one of a property, in the order of the schema. Too many do no harm. */
const named = (root: Schema.JsonObject): ReadonlySet<string> => {
  const found = new Set<string>()
  const open: Array<Schema.Json> = [root]
  for (let next = 0; next < open.length && next < SEARCHED; next++) {
    const at = open[next]
    if (Array.isArray(at)) { for (const part of at) open.push(part) }
    else if (isObject(at)) {
      for (const name of namesOf(at["required"])) found.add(name)
      for (const key of MAPS) if (isObject(at[key])) { for (const name of Object.keys(at[key])) found.add(name) }
      for (const part of Object.values(at)) if (typeof part === "object" && part !== null) open.push(part)
    }
  }
  return found
}

const MAPS = ["properties", "dependentRequired", "dependentSchemas", "dependencies"]

/** The parameter of a tool that has none: some providers refuse an object without properties. */
export const NAME = "_placeholder"

export const isNeeded = (root: Schema.JsonObject): boolean =>
  isObject(root["properties"]) && Object.keys(root["properties"]).length === 0

/**
 * A root with the placeholder. Strict schemas require every property; a root that is a map takes arguments all the
 * same.
 */
export const added = (root: Schema.JsonObject, isStrict: boolean, isMap: boolean): Schema.JsonObject => ({
  ...root,
  properties: {
    [NAME]: { type: "boolean", description: isMap ? "Ignored." : "Ignored. This tool needs no arguments." }
  },
  ...(isStrict ? { required: [NAME] } : {})
})
