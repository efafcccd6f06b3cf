/**
 * A tool as it is pinned: everything of its definition that a model or a person goes by.
 */
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../transport/JsonRpc.ts"
import * as CanonicalJson from "./CanonicalJson.ts"
import * as Sha256 from "./Sha256.ts"

/** One listed tool. @category models */
export interface ToolPrint {
  readonly name: string
  readonly definition: Schema.JsonObject
  /** The definition as canonical JSON; null when it is nested too deep for anybody to look at. */
  readonly text: string | null
}

/** What a listing offers, and one hash for all of it. @category models */
export interface ListingPrint {
  /** Sorted by name; of two tools with one name the first, as discovery has it. */
  readonly tools: ReadonlyArray<ToolPrint>
  readonly hash: string
}

/** Name, title, description, schemas and annotations of every tool; the order of tools does not matter. @category constructors */
export const ofListing = Effect.fnUntraced(function*(
  listed: ReadonlyArray<Schema.JsonObject>
): Effect.fn.Return<ListingPrint, never, Digest.Digest> {
  const byName = new Map<string, ToolPrint>()
  for (const tool of listed) {
    const print = of(tool)
    if (print !== null && !byName.has(print.name)) byName.set(print.name, print)
  }
  const tools = [...byName.values()].sort((one, other) => one.name < other.name ? -1 : 1)
  const hash = yield* Sha256.hex(tools.map(({ name, text }) => JSON.stringify([name, text])).join("\n"))
  return { tools, hash }
})

/** The hash of one tool. @category hashing */
export const hash = ({ name, text }: ToolPrint): Effect.Effect<string, never, Digest.Digest> =>
  Sha256.hex(JSON.stringify([name, text]))

/** What a print is made of; an `McpTool` has it. @category models */
export interface Definition {
  /** The raw name. */
  readonly tool: string
  readonly title: string | null
  readonly description: string | null
  readonly inputSchema: Schema.JsonObject
  readonly outputSchema: Schema.JsonObject | null
  readonly annotations: Schema.JsonObject
}

/**
 * The hash of a tool as it was listed: another one when anything of its definition changed that a model or a person goes
 * by.
 *
 * @category hashing
 */
export const ofTool = (
  { annotations, description, inputSchema, outputSchema, title, tool }: Definition
): Effect.Effect<string, never, Digest.Digest> => {
  const definition = { title, description, inputSchema, outputSchema, annotations }
  return hash({
    name: tool,
    definition,
    text: Result.getOrNull(Result.try(() => CanonicalJson.stringify(definition)))
  })
}

const PINNED = ["title", "description", "inputSchema", "outputSchema", "annotations"]

const of = (tool: Schema.JsonObject): ToolPrint | null => {
  const name = tool["name"]
  if (typeof name !== "string" || name === "") return null
  const definition = Object.fromEntries(
    PINNED.flatMap((key) => tool[key] === undefined ? [] : [[key, tool[key]] as const])
  )
  return { name, definition, text: Result.getOrNull(Result.try(() => CanonicalJson.stringify(definition))) }
}

/**
 * Whether this holds for every text of a value, keys included; false when it is nested too deep, and when a number in it is
 * infinite, as `1e400` is here: that could not be sent on.
 *
 * @category predicates
 */
export const isEveryText = (value: Schema.JsonObject, holds: (text: string) => boolean): boolean => {
  const isEvery = (item: Schema.Json): boolean => {
    if (typeof item === "string") return holds(item)
    if (Array.isArray(item)) return item.every(isEvery)
    if (!JsonRpc.isObject(item)) return typeof item !== "number" || Number.isFinite(item)
    // Makes no list of keys, of which most values consist.
    for (const key in item) if (!holds(key) || !isEvery(item[key] ?? null)) return false
    return true
  }
  return Result.getOrElse(Result.try(() => isEvery(value)), () => false)
}

/** Whether a value can be sent on: it is not nested too deep, and no number in it is infinite. @category predicates */
export const isSound = (value: Schema.JsonObject): boolean => isEveryText(value, () => true)

/**
 * The value with every text of it, keys included, changed, and null in place of infinite numbers; null when it is nested too
 * deep.
 *
 * @category transforming
 */
export const mapTexts = (value: Schema.JsonObject, change: (text: string) => string): Schema.JsonObject | null => {
  const mapped = (item: Schema.Json): Schema.Json => {
    if (typeof item === "string") return change(item)
    if (Array.isArray(item)) return item.map(mapped)
    if (typeof item === "number") return Number.isFinite(item) ? item : null
    return JsonRpc.isObject(item) ? mappedObject(item) : item
  }
  const mappedObject = (object: Schema.JsonObject): Schema.JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, item]) => [change(key), mapped(item)]))
  return Result.getOrNull(Result.try(() => mappedObject(value)))
}
