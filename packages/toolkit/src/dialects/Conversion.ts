/** The losses and the bounds of a conversion. */
import type * as Schema from "effect/Schema"
import { isObject } from "../schema/JsonSchema.ts"
import { isSmall } from "../schema/JsonSize.ts"

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
 * How many schemas one schema holds at most; what comes beyond says its kind alone. More than fit into `SCHEMA_BYTES`,
 * so that what was converted is never cut again.
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

/** Losses as they are found, each once and 200 at most: a hostile schema has no end of them. */
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

export const under = (path: string, ...steps: ReadonlyArray<string | number>): string =>
  steps.reduce<string>((at, step) => {
    if (typeof step === "number") return `${at}[${step}]`
    const name = step.length > NAME ? `${step.slice(0, NAME)}…` : step
    return at === "" ? name : `${at}.${name}`
  }, path)

const NAME = 80

/** A text that tells two values apart; undefined where they are too large to tell. */
export const identity = (value: Schema.Json): string | undefined =>
  isSmall(value, 4096) ? JSON.stringify(value) : undefined

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
