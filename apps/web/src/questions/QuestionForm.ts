/** The form of a question: the fields of its flat schema, what is in them, and what is sent of it. Pure. */
import type { Json, JsonObject } from "../api/Types.ts"
import { type Draft, type FieldProblem, fromJson, toJson, UNSET } from "../tools/form/FormDraft.ts"
import { type ChoiceField, type Field, type ListField, ofArguments, type Property } from "../tools/form/FormField.ts"

/** What is in the fields, by their names. */
export type Values = ReadonlyMap<string, Draft>

export const fieldsOf = (schema: JsonObject): ReadonlyArray<Property> => ofArguments(schema).properties()

/** The defaults of the schema, also of what is optional: a person sees all that will be sent. */
export const initial = (fields: ReadonlyArray<Property>): Values =>
  new Map(fields.map(({ field, isRequired, key }) => [key, first(field, isRequired)]))

const first = (field: Field, isRequired: boolean): Draft => {
  const draft = field.default === undefined || field.default === null ? UNSET : fromJson(field, field.default)
  if (draft.is === "json" && field.kind !== "json") return UNSET
  return draft.is === "unset" && field.kind === "boolean" && isRequired ? { is: "flag", value: false } : draft
}

export interface Filled {
  readonly content: JsonObject
  readonly problems: ReadonlyArray<FieldProblem>
}

/** What is sent, and what is missing or cannot be read. The server checks the rest. */
export const read = (fields: ReadonlyArray<Property>, values: Values): Filled => {
  const made = fields.map(({ field, isRequired, key }) => ({
    key,
    ...toJson(field, values.get(key) ?? UNSET, isRequired, key)
  }))
  return {
    content: Object.fromEntries(
      made.flatMap(({ key, value }): ReadonlyArray<[string, Json]> => value === undefined ? [] : [[key, value]])
    ),
    problems: made.flatMap(({ problems }) => problems)
  }
}

/** The options of a list of which several may be chosen; null for any other list. */
export const optionsOf = (field: ListField): ChoiceField["options"] | null => {
  const item = field.item()
  return item.kind === "choice" ? item.options : null
}

const isChosen = (draft: Draft, index: number): boolean =>
  draft.is === "list" && draft.items.some((item) => item.is === "choice" && item.index === index)

/** The options that are ticked, in the order of the schema. */
export const chosen = (draft: Draft, options: ChoiceField["options"]): ReadonlyArray<number> =>
  options.map((_, index) => index).filter((index) => isChosen(draft, index))

/** One option more or less; none at all is nothing said. */
export const toggled = (draft: Draft, options: ChoiceField["options"], index: number): Draft => {
  const items = options.map((_, each) => each).filter((each) => isChosen(draft, each) !== (each === index))
  return items.length === 0 ? UNSET : { is: "list", items: items.map((each) => ({ is: "choice", index: each })) }
}

/** A time of this place as the field of a browser has it, of one in ISO 8601; "" of anything else. */
export const toLocal = (iso: string): string => {
  const millis = Date.parse(iso)
  if (Number.isNaN(millis)) return ""
  return new Date(millis - new Date(millis).getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** The same the other way round. */
export const fromLocal = (local: string): string => {
  const millis = Date.parse(local)
  return Number.isNaN(millis) ? "" : new Date(millis).toISOString()
}
