/** The targets of the references in one schema. Nothing is ever fetched. */
import type * as Schema from "effect/Schema"
import { isObject, own } from "./JsonSchema.ts"

export interface Target {
  readonly schema: Schema.Json
  /** The map it stands in and its name there, when that is `$defs` or `definitions` of the root. */
  readonly map: "$defs" | "definitions" | null
  /** A name for it: that in its map, or the last step to it. */
  readonly name: string
}

export class References {
  readonly #root: Schema.JsonObject
  #named: ReadonlyMap<string, Schema.JsonObject | undefined> | undefined

  constructor(root: Schema.JsonObject) {
    this.#root = root
  }

  /** The target of a reference; undefined when it is not in the schema, or references lead in a circle. */
  target(reference: string): Target | undefined {
    const found = this.find(reference)
    let at = found
    for (let step = 0; step < CHAIN; step++) {
      const next = at === undefined ? undefined : own(at.schema, "$ref")
      if (typeof next !== "string") return at === undefined ? undefined : found
      at = this.find(next)
    }
    return undefined
  }

  /** The target of a reference, which may hold another reference; undefined when it is not in the schema. */
  find(reference: string): Target | undefined {
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
  get #byName(): ReadonlyMap<string, Schema.JsonObject | undefined> {
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

/** Every schema that has a name of its own; undefined for a name of two, which may mean either. */
const namesIn = (root: Schema.JsonObject): ReadonlyMap<string, Schema.JsonObject | undefined> => {
  const found = new Map<string, Schema.JsonObject | undefined>()
  const open: Array<Schema.Json> = [root]
  for (let seen = 0; seen < SEARCHED && open.length > 0; seen++) {
    const at = open.pop()
    if (isObject(at)) {
      for (const name of namesOf(at)) found.set(name, found.has(name) ? undefined : at)
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
