/**
 * Arguments as a schema wants them, where that can be told for sure (Decision 9). Pure.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as JsonSchema from "../JsonSchema.ts"
import * as JsonSize from "./JsonSize.ts"
import * as PlainSchema from "./PlainSchema.ts"
import * as SchemaView from "./SchemaView.ts"

/**
 * The text of an object or an array, where the schema accepts these and no text, becomes that object or array; a `null`
 * for an optional property that does not accept it is left out. Nothing else is changed, so that only what cannot be
 * valid is changed at all. Seen through references, `allOf`, and branches of `anyOf` and `oneOf` that agree. A schema
 * beyond `PlainSchema.LIMITS` repairs nothing.
 *
 * @category repairing
 */
export const repair = (declared: Schema.JsonObject, args: Schema.JsonObject): Schema.JsonObject => {
  if (!mayNeedRepair(args)) return args
  const plain = PlainSchema.from(declared)
  if (plain === null || !JsonSize.isWithin(args, Number.POSITIVE_INFINITY, JsonSize.MAX_DEPTH)) return args
  return repairObject({ root: plain.schema, plain }, SchemaView.make(plain.schema), args)
}

/** Nothing but a `null` and the text of a list or an object is ever changed, and most arguments have neither. */
const mayNeedRepair = (value: Schema.Json): boolean => {
  if (typeof value === "string") return LIKE_JSON.test(value)
  if (typeof value !== "object") return false
  return value === null || Object.values(value).some(mayNeedRepair)
}

const LIKE_JSON = /^\s*[[{]/

interface Context {
  readonly root: Schema.JsonObject
  readonly plain: PlainSchema.PlainSchema
}

const repairValue = (context: Context, view: SchemaView.SchemaView, given: Schema.Json): Schema.Json => {
  const value = typeof given === "string" ? parsedText(SchemaView.kinds(view), given) : given
  if (Array.isArray(value)) return repairArray(context, view, value)
  return JsonSchema.isObject(value) ? repairObject(context, view, value) : value
}

const repairObject = (
  context: Context,
  view: SchemaView.SchemaView,
  value: Schema.JsonObject
): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, given]) => {
      const inner = SchemaView.member(context.root, view, "object", (schema) => ofProperty(context, schema, name))
      const isRefused = given === null && !SchemaView.kinds(inner).has("null")
      return isRefused && !SchemaView.some(view, (schema) => JsonSchema.names(schema["required"]).includes(name))
        ? []
        : [[name, repairValue(context, inner, given)]]
    })
  )

const ofProperty = ({ plain }: Context, schema: Schema.JsonObject, name: string): ReadonlyArray<Schema.Json> => {
  const { additionalProperties, patternProperties, properties } = schema
  const declared = JsonSchema.isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  const isTested = name.length <= NAME_CHARACTERS
  const matching = Object.entries(JsonSchema.isObject(patternProperties) ? patternProperties : {})
    .filter(([source]) => isTested && plain.patterns.get(source)?.test(name))
    .map(([, of]) => of)
  const found = declared === undefined ? matching : [declared, ...matching]
  // A schema for the rest that accepts nothing says that the name is wrong, not its value.
  return found.length === 0 && isTested && JsonSchema.isObject(additionalProperties) ? [additionalProperties] : found
}

const NAME_CHARACTERS = 256

const repairArray = (
  context: Context,
  view: SchemaView.SchemaView,
  values: ReadonlyArray<Schema.Json>
): ReadonlyArray<Schema.Json> => {
  const places = Math.max(0, ...tupleLengths(view))
  const at = (index: number) => SchemaView.member(context.root, view, "array", (schema) => ofItem(schema, index))
  const rest = at(places)
  return values.map((value, index) => repairValue(context, index < places ? at(index) : rest, value))
}

const tupleLengths = ({ all, unions }: SchemaView.SchemaView): ReadonlyArray<number> => [
  ...JsonSchema.objects(all).map((schema) => Array.isArray(schema["prefixItems"]) ? schema["prefixItems"].length : 0),
  ...unions.flat().flatMap(tupleLengths)
]

const ofItem = ({ items, prefixItems }: Schema.JsonObject, index: number): ReadonlyArray<Schema.Json> => {
  const own = Array.isArray(prefixItems) ? prefixItems[index] : undefined
  return [own ?? items].filter((schema) => schema !== undefined)
}

const parsedText = (kinds: ReadonlySet<JsonSchema.Kind>, text: string): Schema.Json => {
  if (kinds.has("string") || !LIKE_JSON.test(text)) return text
  const value = Result.getOrElse(Result.try((): unknown => JSON.parse(text)), () => null)
  if (!JsonSize.isWithin(value, Number.POSITIVE_INFINITY, JsonSize.MAX_DEPTH)) return text
  return isJson(value) && value !== null && kinds.has(JsonSchema.kindOf(value)) ? value : text
}

const isJson = Schema.is(Schema.Json)
