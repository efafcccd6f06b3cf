/** What turning a schema into a dialect gives, and what bounds it. */
import type * as Schema from "effect/Schema"
import { isObject } from "../text/JsonSchema.ts"

/** Something of a schema that a dialect cannot say. */
export interface Loss {
  /** Where in the schema, for instance `properties.tags.items`, names as the dialect has them; empty for its root. */
  readonly path: string
  readonly detail: string
}

/** The most bytes of JSON a converted schema has. */
export const SCHEMA_BYTES = 262_144

/** How deep a converted schema is nested at most. */
export const DEPTH = 48

/**
 * How many schemas one schema holds at most; what comes beyond says its kind alone. More than fit into `SCHEMA_BYTES`, so
 * that what was converted is never cut again.
 */
export const NODES = 40_000

/** How many objects a declared schema holds at most. A larger one would not fit into `SCHEMA_BYTES`, but take its time. */
export const PARTS = 5000

/** Whether a schema holds so many objects that nobody could send it. Never looks further than that. */
export const isTooMuch = (root: Schema.JsonObject): boolean => {
  const open: Array<Schema.Json> = [root]
  let parts = 0
  for (let at = open.pop(); at !== undefined && parts <= PARTS; at = open.pop()) {
    if (isObject(at)) parts++
    for (const part of Array.isArray(at) ? at : Object.values(at ?? {})) {
      if (typeof part === "object" && part !== null) open.push(part)
    }
  }
  return parts > PARTS
}

const LOSSES = 200

/** Losses as they are found, each once. A hostile schema has no end of them, so there is one. */
export class Losses {
  readonly #found = new Map<string, Loss>()

  add(path: string, detail: string): void {
    if (this.#found.size < LOSSES) this.#found.set(`${path}\n${detail}`, { path, detail })
  }

  get all(): ReadonlyArray<Loss> {
    return [...this.#found.values()]
  }
}

/** How much is left to spend on one schema. */
export interface Budget {
  nodes: number
}

/** Where something in a schema is. */
export const under = (path: string, ...steps: ReadonlyArray<string | number>): string =>
  steps.reduce<string>((at, step) => {
    if (typeof step === "number") return `${at}[${step}]`
    const name = step.length > NAME ? `${step.slice(0, NAME)}…` : step
    return at === "" ? name : `${at}.${name}`
  }, path)

const NAME = 80

/** Whether a value has no more than so many parts. Never walks further than that, nor deeper than schemas go. */
export const isSmall = (value: Schema.Json, most = 256): boolean => {
  let left = most
  const fits = (at: Schema.Json, depth: number): boolean => {
    left -= typeof at === "string" ? 1 + at.length / 64 : 1
    if (left < 0 || depth > DEPTH) return false
    if (Array.isArray(at)) return at.every((part) => fits(part, depth + 1))
    return !isObject(at) || Object.entries(at).every(([key, part]) => key.length < 1024 && fits(part, depth + 1))
  }
  return fits(value, 0)
}

/** A text that tells two values apart; undefined where they are too large to tell. */
export const identity = (value: Schema.Json): string | undefined =>
  isSmall(value, 4096) ? JSON.stringify(value) : undefined

/** Each schema once. */
export const distinct = (schemas: ReadonlyArray<Schema.JsonObject>): ReadonlyArray<Schema.JsonObject> =>
  schemas.length < 2
    ? schemas
    : [...new Map(schemas.map((schema, index) => [identity(sorted(schema)) ?? index, schema])).values()]

const sorted = (value: Schema.Json, depth = 0): Schema.Json => {
  if (Array.isArray(value)) return value.map((part) => sorted(part, depth + 1))
  if (!isObject(value) || depth > DEPTH * 2) return value
  const entries = Object.entries(value).map(([key, part]) => [key, sorted(part, depth + 1)] as const)
  return Object.fromEntries(entries.sort(([one], [other]) => one < other ? -1 : 1))
}

/** An object without some of its keys; the same one where it has none of them. */
export const without = (schema: Schema.JsonObject, keys: ReadonlySet<string>): Schema.JsonObject =>
  Object.keys(schema).some((key) => keys.has(key))
    ? Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.has(key)))
    : schema

/** An object's own value under a key. */
export const own = (object: Schema.Json | undefined, key: string): Schema.Json | undefined =>
  isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined

// Where the references of a converted schema lead: maps of the root alone, under names that need no escapes.

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
    const isKept = target.map !== null && DEFINITIONS_NAME.test(target.name)
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

const DEFINITIONS_NAME = /^[a-zA-Z0-9_.-]{1,100}$/

const safe = (name: string): string => {
  const plain = name.replaceAll(/[^a-zA-Z0-9_.-]/g, "_").slice(0, 60)
  return plain === "" ? "schema" : plain
}

// What the references of a schema point at. Nothing is ever fetched.

/** A schema that others refer to. */
export interface Target {
  readonly schema: Schema.Json
  /** The map it stands in and its name there, when that is `$defs` or `definitions` of the root. */
  readonly map: "$defs" | "definitions" | null
  /** A name for it: that in its map, or the last step to it. */
  readonly name: string
}

/** The references of one schema as declared. */
export class References {
  readonly #root: Schema.JsonObject
  #named: ReadonlyMap<string, Schema.JsonObject> | undefined

  constructor(root: Schema.JsonObject) {
    this.#root = root
  }

  /** What a reference points at; undefined when that is not in the schema, or only another reference for ever. */
  target(reference: string): Target | undefined {
    const found = this.#find(reference)
    let at = found
    for (let step = 0; step < CHAIN; step++) {
      const next = at === undefined ? undefined : own(at.schema, "$ref")
      if (typeof next !== "string") return at === undefined ? undefined : found
      at = this.#find(next)
    }
    return undefined
  }

  #find(reference: string): Target | undefined {
    const hash = reference.indexOf("#")
    const base = hash === -1 ? reference : reference.slice(0, hash)
    const fragment = hash === -1 ? "" : reference.slice(hash + 1)
    const start = base === "" ? this.#root : this.#byName.get(base)
    if (start === undefined) return undefined
    if (fragment === "") return { schema: start, map: null, name: "root" }
    return fragment.startsWith("/") ? pointed(start, fragment, start === this.#root) : this.#anchored(fragment)
  }

  #anchored(fragment: string): Target | undefined {
    const schema = this.#byName.get(`#${fragment}`)
    return schema === undefined ? undefined : { schema, map: null, name: fragment }
  }

  /** By `$id`, `id` and anchor; looked for only when a reference needs it. */
  get #byName(): ReadonlyMap<string, Schema.JsonObject> {
    this.#named ??= namesIn(this.#root)
    return this.#named
  }
}

const CHAIN = 16

const pointed = (start: Schema.JsonObject, fragment: string, isRoot: boolean): Target | undefined => {
  const steps = fragment.slice(1).split("/").map(unescaped)
  let at: Schema.Json | undefined = start
  for (const step of steps) at = Array.isArray(at) ? at[Number(step)] : own(at, step)
  if (!isObject(at) && typeof at !== "boolean") return undefined
  const [map, name] = steps
  const isDefinition = isRoot && steps.length === 2 && (map === "$defs" || map === "definitions")
  return { schema: at, map: isDefinition ? map : null, name: isDefinition ? name ?? "" : steps.at(-1) ?? "" }
}

const unescaped = (step: string): string => decoded(step).replaceAll("~1", "/").replaceAll("~0", "~")

/** URI escapes, where they are sound. */
const decoded = (step: string): string => /^(?:[^%]|%[0-7][0-9a-fA-F])*$/.test(step) ? decodeURIComponent(step) : step

const SEARCHED = 50_000

/** Every schema that has a name of its own, the first of each name. */
const namesIn = (root: Schema.JsonObject): ReadonlyMap<string, Schema.JsonObject> => {
  const found = new Map<string, Schema.JsonObject>()
  const open: Array<Schema.Json> = [root]
  for (let seen = 0; seen < SEARCHED && open.length > 0; seen++) {
    const at = open.pop()
    if (isObject(at)) {
      for (const name of namesOf(at)) if (!found.has(name)) found.set(name, at)
      for (const part of Object.values(at)) if (typeof part === "object") open.push(part)
    } else if (Array.isArray(at)) { for (const part of at) open.push(part) }
  }
  return found
}

const namesOf = (schema: Schema.JsonObject): ReadonlyArray<string> => [
  ...["$id", "id"].flatMap((key) => {
    const id = own(schema, key)
    return typeof id === "string" ? [id.endsWith("#") ? id.slice(0, -1) : id] : []
  }),
  ...["$anchor", "$dynamicAnchor"].flatMap((key) => {
    const anchor = own(schema, key)
    return typeof anchor === "string" ? [`#${anchor}`] : []
  })
]
