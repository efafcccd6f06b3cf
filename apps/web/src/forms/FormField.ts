/** The form of a JSON schema: one field for each value, made when it is needed. Pure. */
import type { Json, JsonObject } from "../api/Types.ts"
import { forms as texts } from "../messages/FormsMessages.ts"
import { at, isObject, list, number, plain, text } from "./SchemaReading.ts"

interface About {
  readonly title: string | null
  readonly description: string | null
  readonly default: Json | undefined
  readonly examples: ReadonlyArray<Json>
  readonly isNullable: boolean
}

export interface TextField extends About {
  readonly kind: "text"
  readonly isLong: boolean
  readonly format: string | null
  readonly pattern: string | null
  readonly minLength: number | null
  readonly maxLength: number | null
}

export interface NumberField extends About {
  readonly kind: "number"
  readonly isInteger: boolean
  readonly minimum: number | null
  readonly maximum: number | null
  readonly above: number | null
  readonly below: number | null
  readonly step: number | null
}

export interface BooleanField extends About {
  readonly kind: "boolean"
}

export interface ChoiceField extends About {
  readonly kind: "choice"
  readonly options: ReadonlyArray<{ readonly value: Json; readonly label: string }>
}

export interface ListField extends About {
  readonly kind: "list"
  readonly item: () => Field
  readonly minItems: number
  readonly maxItems: number | null
}

export interface ObjectField extends About {
  readonly kind: "object"
  readonly properties: () => ReadonlyArray<Property>
  /** The field for keys beside the properties; null when none may be added. */
  readonly extra: (() => Field) | null
}

export interface VariantsField extends About {
  readonly kind: "variants"
  readonly variants: () => ReadonlyArray<Variant>
}

/** A value that no other field can express: typed as JSON. */
interface JsonField extends About {
  readonly kind: "json"
}

export type Field =
  | TextField
  | NumberField
  | BooleanField
  | ChoiceField
  | ListField
  | ObjectField
  | VariantsField
  | JsonField

export interface Property {
  readonly key: string
  readonly field: Field
  readonly isRequired: boolean
}

interface Variant {
  readonly label: string
  readonly field: Field
}

// Forms within forms within forms: a schema that does that to itself would never end.
const FORMS_DEEP = 5

/** The form of a tool's arguments, which are always one object. */
export const ofArguments = (schema: JsonObject): ObjectField => {
  const field = make(schema, { ...schema, type: "object" }, "")
  if (field.kind !== "object") {
    return object(schema, { type: "object", additionalProperties: false }, aboutOf({}, false))
  }
  // A schema that says nothing of other keys allows them; still nobody wants to be asked for them.
  return isObject(schema["additionalProperties"]) ? field : { ...field, extra: null }
}

/** The field of one schema; `root` is where its references lead, `key` the name it has. */
export const make = (root: JsonObject, given: Json, key: string, depth = 0): Field => {
  const { forms, isNullable, schema } = plain(root, given)
  const about = aboutOf(schema, isNullable)
  if (Object.hasOwn(schema, "const")) return choice(about, [schema["const"] ?? null])
  if (Array.isArray(schema["enum"])) return choice(about, schema["enum"], list(at(schema, "enumNames")))
  if (forms.length > 0) {
    if (depth > FORMS_DEEP) return { ...about, kind: "json" }
    return ofForms(forms.map((form) => make(root, form, key, depth + 1)), about)
  }
  switch (typeOf(schema)) {
    case "string":
      return words(schema, about, key)
    case "integer":
    case "number":
      return amount(schema, about)
    case "boolean":
      return { ...about, kind: "boolean" }
    case "array":
      return array(root, schema, about, key)
    case "object":
      return object(root, schema, about)
    default:
      return { ...about, kind: "json" }
  }
}

const aboutOf = (schema: JsonObject, isNullable: boolean): About => ({
  title: text(at(schema, "title")),
  description: text(at(schema, "description")),
  default: at(schema, "default"),
  examples: [...list(at(schema, "examples")), ...[at(schema, "example")].filter((one) => one !== undefined)],
  isNullable
})

/** Without a type, its other keys tell. */
const typeOf = (schema: JsonObject): Json | undefined => {
  if (schema["type"] !== undefined) return schema["type"]
  if (isObject(schema["properties"]) || isObject(schema["additionalProperties"])) return "object"
  return schema["items"] === undefined ? undefined : "array"
}

/** `names` stand for the values where there are any, in their order. */
const choice = (about: About, values: ReadonlyArray<Json>, names: ReadonlyArray<Json> = []): ChoiceField => {
  const all = values.map((value, index) => ({ value, label: text(names[index]) ?? labelOf(value) }))
  const others = all.filter(({ value }) => value !== null)
  return {
    ...about,
    kind: "choice",
    isNullable: others.length > 0 && (about.isNullable || others.length < values.length),
    options: others.length > 0 ? others : all
  }
}

const labelOf = (value: Json): string => typeof value === "string" && value !== "" ? value : JSON.stringify(value)

/** Forms that are one value each are options; others are variants. */
const ofForms = (variants: ReadonlyArray<Field>, about: About): Field => {
  if (variants.every((field) => field.kind === "choice")) {
    return {
      ...about,
      kind: "choice",
      options: variants.flatMap(({ options, title }) =>
        options.map(({ label, value }) => ({ value, label: options.length === 1 ? title ?? label : label }))
      )
    }
  }
  return { ...about, kind: "variants", variants: once(() => named(variants)) }
}

/** Each variant by a name of its own. */
const named = (fields: ReadonlyArray<Field>): ReadonlyArray<Variant> => {
  const names = fields.map((field) => nameOf(field))
  return fields.map((field, index) => {
    const name = names[index] ?? ""
    const isShared = names.indexOf(name) !== names.lastIndexOf(name)
    return { field, label: isShared ? `${name} (${index + 1})` : name }
  })
}

const kinds = () => ({
  text: texts.aText,
  boolean: texts.trueOrFalse,
  choice: texts.oneOfSeveral,
  list: texts.aList,
  object: texts.anObject,
  variants: texts.severalForms,
  json: "JSON"
})

const nameOf = (field: Field, depth = 0): string => {
  if (field.title !== null) return field.title
  if (field.kind === "number") return field.isInteger ? texts.wholeNumber : texts.aNumber
  if (field.kind === "choice") return field.options.length === 1 ? field.options[0]?.label ?? "" : kinds().choice
  if (field.kind === "list") return depth > 2 ? kinds().list : texts.listOf(nameOf(field.item(), depth + 1))
  if (field.kind !== "object") return kinds()[field.kind]
  const constants = field.properties().map(({ field: inner }) => inner.kind === "choice" ? inner.options : [])
  const [tag] = constants.find((options) => options.length === 1) ?? []
  if (tag !== undefined) return tag.label
  const keys = field.properties().filter(({ isRequired }) => isRequired).map(({ key }) => key)
  return keys.length === 0 ? kinds().object : texts.withKeys(keys.slice(0, 3).join(", "))
}

const LONG = /content|text|body|code|query|sql|prompt|message|markdown|html|script|thought|input|instruction|diff/i

const words = (schema: JsonObject, about: About, key: string): TextField => {
  const format = text(at(schema, "format"))
  const maxLength = number(at(schema, "maxLength"))
  return {
    ...about,
    kind: "text",
    format,
    pattern: text(at(schema, "pattern")),
    minLength: number(at(schema, "minLength")),
    maxLength,
    isLong: format === null && (maxLength === null ? LONG.test(key) : maxLength > 200)
  }
}

const amount = (schema: JsonObject, about: About): NumberField => {
  // Draft 4 says `true` beside the limit, later ones say the limit.
  const exclusive = (key: string, limit: string) => number(at(schema, schema[key] === true ? limit : key))
  const inclusive = (key: string, limit: string) => schema[key] === true ? null : number(at(schema, limit))
  return {
    ...about,
    kind: "number",
    isInteger: schema["type"] === "integer",
    minimum: inclusive("exclusiveMinimum", "minimum"),
    maximum: inclusive("exclusiveMaximum", "maximum"),
    above: exclusive("exclusiveMinimum", "minimum"),
    below: exclusive("exclusiveMaximum", "maximum"),
    step: number(at(schema, "multipleOf"))
  }
}

/** A list whose places differ is typed as JSON. */
const array = (root: JsonObject, schema: JsonObject, about: About, key: string): Field => {
  const { items, prefixItems } = schema
  if (Array.isArray(items) || Array.isArray(prefixItems)) return { ...about, kind: "json" }
  return {
    ...about,
    kind: "list",
    item: once(() => make(root, items ?? {}, key)),
    minItems: number(at(schema, "minItems")) ?? 0,
    maxItems: number(at(schema, "maxItems"))
  }
}

const object = (root: JsonObject, schema: JsonObject, about: About): ObjectField => {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required = new Set(list(at(schema, "required")))
  const { additionalProperties: more } = schema
  const isMap = isObject(more) || more !== false && Object.keys(properties).length === 0
  return {
    ...about,
    kind: "object",
    properties: once(() =>
      Object.entries(properties).filter(([, inner]) => !isForbidden(inner)).map(([key, inner]) => ({
        key,
        isRequired: required.has(key),
        field: make(root, inner, key)
      }))
    ),
    extra: isMap ? once(() => make(root, isObject(more) ? more : {}, "")) : null
  }
}

/** A schema that no value fits is how some say that a key must not be there. */
const isForbidden = (schema: Json): boolean =>
  schema === false || isObject(schema) && isObject(schema["not"]) && Object.keys(schema["not"]).length === 0

/** Schemas may contain themselves, so what is inside is made when somebody looks. */
const once = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | null = null
  return () => (made ??= { value: make() }).value
}
