/**
 * Whether references lead somewhere. No provider fetches a schema from elsewhere.
 *
 * - OpenAI and servers like it: github.com/open-webui/computer/issues/87 (2026); strict, "reference can only point to
 *   definitions defined at the top level of the schema" and "$ref cannot have keywords {'description'}":
 *   github.com/camel-ai/camel/issues/3001 (2025-08-10).
 * - Anthropic, `PointerToNowhere`: github.com/BerriAI/litellm/pull/28646 (2026-05-22). The API was also seen to accept one
 *   that leads nowhere (github.com/openclaw/openclaw/issues/98588, 2026-07-02); the careful reading counts here.
 * - Gemini, "reference to undefined schema at properties.target_object.anyOf.1":
 *   github.com/google-gemini/gemini-cli/issues/13326 (2025-11-18).
 */
import type * as Schema from "effect/Schema"
import { isObject, names } from "../JsonSchema.ts"
import { brief, inside, type Place, type Rule, violation } from "./Place.ts"

/** What a reference inside the document leads to; undefined when it leads nowhere. */
export const target = (root: Schema.Json, reference: string): Schema.Json | undefined => {
  if (reference === "#") return root
  if (!reference.startsWith("#/")) return undefined
  let at: Schema.Json | undefined = root
  for (const step of reference.slice(2).split("/")) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~")
    at = isObject(at) && Object.hasOwn(at, key)
      ? at[key]
      : Array.isArray(at) && /^\d+$/.test(key)
      ? at[Number(key)]
      : undefined
  }
  return at
}

/** A step of a reference may be written as in an address, and may be wrong there. */
const decoded = (step: string): string => /^(?:[^%]|%[0-7][0-9a-fA-F])*$/.test(step) ? decodeURIComponent(step) : step

/** Each reference leads to a schema in the document. */
export const referencesResolve = (root: Schema.Json): Rule => (schema, place) => {
  const reference = schema["$ref"]
  if (typeof reference !== "string") return []
  const found = target(root, reference)
  return isObject(found) || typeof found === "boolean"
    ? []
    : [violation(place, "reference", `"${brief(reference)}" leads to no schema in the document`)]
}

/**
 * Places where a schema repeats itself without end: a cycle of references that no property one may leave out interrupts.
 * Google: "may only be used within non-required properties", see the rules for `parametersJsonSchema`.
 */
export const endless = (root: Schema.Json, all: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const referring = all.filter(({ schema }) => referenceOf(schema) !== null)
  const targets = new Set(["#", ...referring.map(({ schema }) => referenceOf(schema) ?? "#")])
  const edges = new Map([...targets].map((from) => [from, unavoidable(target(root, from) ?? {})]))
  const rest = withoutEnds(edges)
  return referring.filter(({ schema }) => rest.has(referenceOf(schema) ?? ""))
}

const referenceOf = (schema: Schema.Json): string | null =>
  isObject(schema) && typeof schema["$ref"] === "string" ? schema["$ref"] : null

/** The references in a schema that are not below a property one may leave out. */
const unavoidable = (schema: Schema.Json): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (part: Schema.Json): void => {
    if (!isObject(part)) return
    if (typeof part["$ref"] === "string") found.add(part["$ref"])
    const { $defs: _, definitions: __, properties, ...rest } = part
    const required = names(part["required"])
    const kept = isObject(properties) ? Object.entries(properties).filter(([name]) => required.includes(name)) : []
    kept.forEach(([, property]) => visit(property))
    inside(rest, { path: "", depth: 0 }).forEach(({ schema: inner }) => visit(inner))
  }
  visit(schema)
  return found
}

/** What is left when that which leads to an end is taken away, over and over: cycles, and what leads into them. */
const withoutEnds = (edges: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> => {
  const pairs = [...edges].flatMap(([from, to]) => [...to].map((one) => ({ from, to: one })))
  const sources = Map.groupBy(pairs, ({ to }) => to)
  const open = new Map([...edges].map(([from, to]) => [from, to.size]))
  const ended = [...edges.keys()].filter((from) => open.get(from) === 0)
  for (let end = ended.pop(); end !== undefined; end = ended.pop()) {
    open.delete(end)
    for (const { from } of sources.get(end) ?? []) {
      const left = (open.get(from) ?? 0) - 1
      open.set(from, left)
      if (left === 0) ended.push(from)
    }
  }
  return new Set(open.keys())
}
