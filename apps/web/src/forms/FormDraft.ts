/** The input of a form so far: made from arguments, and made into arguments, without losing anything. Pure. */
import type { Json, JsonObject } from "../api/Types.ts"
import { forms as texts } from "../messages/FormsMessages.ts"
import { below, type FieldProblem } from "./FieldProblem.ts"
import type { Field, ListField, ObjectField } from "./FormField.ts"
import { at, isObject } from "./SchemaReading.ts"

export type Draft =
  | { readonly is: "unset" }
  | { readonly is: "null" }
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "flag"; readonly value: boolean }
  | { readonly is: "choice"; readonly index: number }
  | { readonly is: "list"; readonly items: ReadonlyArray<Draft> }
  | { readonly is: "object"; readonly fields: ReadonlyMap<string, Draft>; readonly extra: ReadonlyArray<Extra> }
  | { readonly is: "variant"; readonly index: number; readonly draft: Draft }
  /** The form of any field: a value that the field cannot show, as JSON. */
  | { readonly is: "json"; readonly text: string }

export interface Extra {
  readonly key: string
  readonly draft: Draft
}

export const UNSET: Draft = { is: "unset" }

// A schema whose required parts contain themselves has no end.
const DEEPEST = 8

/** So many items are shown each by itself: the controls of thousands would hold up the page. A longer list is JSON. */
const MOST_ITEMS = 100

/** The content of a field before anybody typed: required ones their default, optional ones nothing. */
export const initial = (field: Field, isRequired: boolean, depth = 0): Draft => {
  if (!isRequired || depth > DEEPEST) return UNSET
  if (field.default !== undefined) return fromJson(field, field.default)
  switch (field.kind) {
    case "choice":
      return field.options.length === 1 && !field.isNullable ? { is: "choice", index: 0 } : UNSET
    case "list":
      return { is: "list", items: filled(field, depth) }
    case "object":
      return {
        is: "object",
        fields: new Map(field.properties().map((one) => [one.key, initial(one.field, one.isRequired, depth + 1)])),
        extra: []
      }
    case "variants": {
      const first = field.variants()[0]
      return first === undefined ? UNSET : { is: "variant", index: 0, draft: initial(first.field, true, depth + 1) }
    }
    default:
      return UNSET
  }
}

/**
 * The content of a form that shows a person all that will be sent: every default of its schema, also of optional
 * fields. A required yes or no is a no.
 */
export const prefilled = (form: ObjectField): Draft => ({
  is: "object",
  fields: new Map(form.properties().map(({ field, isRequired, key }) => [key, byDefault(field, isRequired)])),
  extra: []
})

const byDefault = (field: Field, isRequired: boolean): Draft => {
  const draft = field.default === undefined || field.default === null ? UNSET : fromJson(field, field.default)
  if (draft.is === "json" && field.kind !== "json") return UNSET
  return draft.is === "unset" && field.kind === "boolean" && isRequired ? { is: "flag", value: false } : draft
}

/** As many items as there must be, unless nobody would fill in so many: a schema may want a million. */
const filled = ({ item, minItems }: ListField, depth: number): ReadonlyArray<Draft> =>
  minItems > MOST_ITEMS ? [] : Array.from({ length: minItems }, () => initial(item(), true, depth + 1))

/** The draft of a value; `toJson` gives the same value back, whether it fits the field or not. */
export const fromJson = (field: Field, value: Json): Draft => {
  if (value === null && field.isNullable) return { is: "null" }
  return typed(field, value) ?? { is: "json", text: JSON.stringify(value, null, 2) }
}

const typed = (field: Field, value: Json): Draft | null => {
  switch (field.kind) {
    case "text":
      return typeof value === "string" ? { is: "text", text: value } : null
    case "number":
      return typeof value === "number" ? { is: "text", text: String(value) } : null
    case "boolean":
      return typeof value === "boolean" ? { is: "flag", value } : null
    case "choice": {
      const index = field.options.findIndex((option) => isSame(option.value, value))
      return index === -1 ? null : { is: "choice", index }
    }
    case "list":
      return Array.isArray(value) && value.length <= MOST_ITEMS
        ? { is: "list", items: value.map((item) => fromJson(field.item(), item)) }
        : null
    case "object":
      return isObject(value) ? ofObject(field, value) : null
    case "variants": {
      const variants = field.variants()
      const index = variants.findIndex((variant) => fits(variant.field, value))
      const variant = variants[index]
      return variant === undefined ? null : { is: "variant", index, draft: fromJson(variant.field, value) }
    }
    case "json":
      return null
  }
}

const ofObject = (field: ObjectField, value: JsonObject): Draft | null => {
  const known = new Set(field.properties().map(({ key }) => key))
  const others = Object.entries(value).filter(([key]) => !known.has(key))
  if (others.length > MOST_ITEMS) return null
  return {
    is: "object",
    fields: new Map(
      field.properties().map((property) => {
        const inside = at(value, property.key)
        return [property.key, inside === undefined ? UNSET : fromJson(property.field, inside)]
      })
    ),
    extra: others.map(([key, inside]) => ({
      key,
      draft: fromJson(field.extra?.() ?? ANYTHING, inside)
    }))
  }
}

/** The field of a value about which nothing is said. */
export const ANYTHING: Field = {
  kind: "json",
  title: null,
  description: null,
  default: undefined,
  examples: [],
  isNullable: false
}

/** Whether a value looks as the field wants it: which of several forms it has. */
const fits = (field: Field, value: Json): boolean => {
  if (value === null && field.isNullable) return true
  switch (field.kind) {
    case "number":
      return typeof value === "number" && (!field.isInteger || Number.isInteger(value))
    case "list":
      return Array.isArray(value) && value.every((item) => fits(field.item(), item))
    case "object":
      return isObject(value) && field.properties().every((one) => {
        const inside = at(value, one.key)
        return inside === undefined ? !one.isRequired : fits(one.field, inside)
      })
    case "variants":
      return field.variants().some((variant) => fits(variant.field, value))
    case "json":
      return true
    default:
      return typed(field, value) !== null
  }
}

interface Made {
  /** Undefined when it is left out. A text that cannot be read as the field wants it is there as it was typed. */
  readonly value: Json | undefined
  readonly problems: ReadonlyArray<FieldProblem>
}

export const toJson = (field: Field, draft: Draft, isRequired: boolean, path = ""): Made => {
  const wrong = (value: Json | undefined, message: string): Made => ({ value, problems: [{ path, message }] })
  switch (draft.is) {
    case "unset":
      return isRequired
        ? { value: undefined, problems: [{ path, message: texts.required, isMissing: true }] }
        : { value: undefined, problems: [] }
    case "null":
      return { value: null, problems: [] }
    case "flag":
      return { value: draft.value, problems: [] }
    case "json":
      return parsed(draft.text, wrong)
    case "text":
      return field.kind === "number" ? numeric(field.isInteger, draft.text, wrong) : { value: draft.text, problems: [] }
    case "choice":
      return { value: field.kind === "choice" ? field.options[draft.index]?.value : undefined, problems: [] }
    case "list":
      return listed(field, draft.items, path)
    case "object":
      return entries(field, draft, path)
    case "variant": {
      const variant = field.kind === "variants" ? field.variants()[draft.index] : undefined
      return variant === undefined ? wrong(undefined, texts.chooseOne) : toJson(variant.field, draft.draft, true, path)
    }
  }
}

type Wrong = (value: Json | undefined, message: string) => Made

const numeric = (isInteger: boolean, typedText: string, wrong: Wrong): Made => {
  const value = Number(typedText)
  if (typedText.trim() === "" || !Number.isFinite(value)) return wrong(typedText, texts.notANumber)
  return isInteger && !Number.isInteger(value)
    ? wrong(value, texts.notWhole)
    : { value, problems: [] }
}

const parsed = (typedText: string, wrong: Wrong): Made => {
  try {
    return { value: JSON.parse(typedText), problems: [] }
  } catch {
    return wrong(typedText, texts.notJson)
  }
}

const listed = (field: Field, items: ReadonlyArray<Draft>, path: string): Made => {
  const item = field.kind === "list" ? field.item() : ANYTHING
  const made = items.map((draft, index) => toJson(item, draft, true, `${path}[${index}]`))
  return {
    value: made.map(({ value }) => value ?? null),
    problems: made.flatMap(({ problems }) => problems)
  }
}

const entries = (field: Field, draft: Draft & { readonly is: "object" }, path: string): Made => {
  if (field.kind !== "object") return { value: undefined, problems: [] }
  const known = field.properties().map(({ field: inside, isRequired, key }) => ({
    key,
    made: toJson(inside, draft.fields.get(key) ?? UNSET, isRequired, below(path, key))
  }))
  const extra = draft.extra.map(({ draft: inside, key }) => ({
    key,
    made: toJson(field.extra?.() ?? ANYTHING, inside, true, below(path, key))
  }))
  const all = [...known, ...extra]
  const keys = all.map(({ key }) => key)
  return {
    value: Object.fromEntries(all.flatMap(({ key, made }) => made.value === undefined ? [] : [[key, made.value]])),
    problems: [
      ...all.flatMap(({ made }) => made.problems),
      ...extra.filter(({ key }) => keys.indexOf(key) !== keys.lastIndexOf(key))
        .map(({ key }) => ({ path: below(path, key), message: texts.twice(key) }))
    ]
  }
}

const isSame = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other)
