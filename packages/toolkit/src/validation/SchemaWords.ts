/** Schemas, values and paths in few words, for a model that has to correct a value. Pure. */
import type * as Schema from "effect/Schema"
import * as JsonSchema from "../schema/JsonSchema.ts"

const LISTED = 20
const CHARACTERS = 24
const KEY_CHARACTERS = 60

/** Values that are allowed, at most 20 of them, as JSON. */
export const listed = (values: ReadonlyArray<Schema.Json>): string =>
  bounded(values, (value) => shortened(JSON.stringify(value), KEY_CHARACTERS))

/** Things in a row, at most 20 of them. */
export const bounded = <A>(things: ReadonlyArray<A>, say: (thing: A) => string): string =>
  things.slice(0, LISTED).map(say).join(", ") + (things.length > LISTED ? ` and ${things.length - LISTED} more` : "")

export const shortened = (text: string, characters: number): string => {
  const points = text.length > characters ? Array.from(text.slice(0, 2 * characters + 2)) : []
  return points.length > characters ? `${points.slice(0, characters).join("")}…` : text
}

export const keyText = (name: string): string =>
  /^[\w$-]+$/.test(name) ? shortened(name, KEY_CHARACTERS) : JSON.stringify(shortened(name, KEY_CHARACTERS))

/** A JSON pointer into a value as people write paths, `filter.items[2]`; "" for the value itself. */
export const pathText = (pointer: string): string => {
  const steps = pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
  const shown = steps.length > 12 ? [...steps.slice(0, 6), "…", ...steps.slice(-5)] : steps
  return shown.reduce((before, step) => {
    if (/^\d+$/.test(step)) return `${before}[${step}]`
    if (step !== "…" && !/^[\w$-]+$/.test(step)) return `${before}[${JSON.stringify(shortened(step, KEY_CHARACTERS))}]`
    return `${before}${before === "" ? "" : "."}${shortened(step, KEY_CHARACTERS)}`
  }, "")
}

/** A value: a short one as it is, a long one and one that may be secret by its kind. */
export const found = (value: Schema.Json, at: string): string => {
  if (Array.isArray(value)) return `an array of ${value.length} item${value.length === 1 ? "" : "s"}`
  if (typeof value === "string") {
    return value.length > CHARACTERS || SECRET.test(at)
      ? `a string of ${value.length} characters`
      : JSON.stringify(value)
  }
  return JsonSchema.isObject(value) ? "an object" : JSON.stringify(value)
}

const SECRET = /pass|pwd|secret|token|key|auth|credential|cookie/i

/** The value that a schema expects; "" when few words cannot say it. `root` is where its references lead. */
export const expectedText = (root: Schema.JsonObject, schema: Schema.Json | undefined, depth = 0): string => {
  if (!JsonSchema.isObject(schema) || depth > 4) return ""
  const at = JsonSchema.resolved(root, schema)
  if (at["const"] !== undefined) return listed([at["const"]])
  if (Array.isArray(at["enum"])) return at["enum"].length === 1 ? listed(at["enum"]) : `one of ${listed(at["enum"])}`
  const branches = JsonSchema.objects(at["anyOf"] ?? at["oneOf"])
  const union = anyOf(branches, (branch) => expectedText(root, branch, depth + 1))
  // Branches that differ in what is not checked, such as `format`, say nothing.
  if (union !== "") return union
  const types = JsonSchema.names([at["type"] ?? []].flat())
  if (types.length > 0) return anyOf(types, (type) => typed(root, at, type, depth))
  const parts = JsonSchema.objects(at["allOf"]).slice(0, BRANCHES)
  return parts.map((part) => expectedText(root, part, depth + 1)).find((text) => text !== "") ?? ""
}

const BRANCHES = 6

const anyOf = <A>(forms: ReadonlyArray<A>, say: (form: A) => string): string => {
  const known = new Set(forms.slice(0, BRANCHES).map(say).filter((text) => text !== ""))
  return [...known].join(" or ") + (known.size > 0 && forms.length > BRANCHES ? " or something else" : "")
}

const typed = (root: Schema.JsonObject, schema: Schema.JsonObject, type: string, depth: number): string => {
  if (type === "object") {
    const required = JsonSchema.names(schema["required"])
    return required.length === 0 ? "an object" : `an object with ${bounded(required, keyText)}`
  }
  if (type !== "array") return TYPES.get(type) ?? type
  const items = expectedText(root, schema["items"], depth + 1)
  return items === "" ? "an array" : `an array (each item ${items})`
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["integer", "an integer"],
  ["boolean", "true or false"]
])
