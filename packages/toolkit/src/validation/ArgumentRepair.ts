/** Arguments as a schema wants them, where that can be told for sure (Decision 9). Pure. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as JsonSchema from "../text/JsonSchema.ts"
import * as JsonSize from "../text/JsonSize.ts"
import * as PlainSchema from "./PlainSchema.ts"

/**
 * The text of an object or an array, where the schema accepts these and no text, becomes that object or array; a `null`
 * for an optional property that does not accept it is left out. Nothing else is changed, so that only what cannot be
 * valid is changed at all. Seen through references, `allOf`, and branches of `anyOf` and `oneOf` that agree. A schema
 * beyond `PlainSchema.LIMITS` repairs nothing.
 */
export const repair = (declared: Schema.JsonObject, args: Schema.JsonObject): Schema.JsonObject => {
  if (!mayNeedRepair(args)) return args
  const plain = PlainSchema.from(declared)
  if (plain === null || !JsonSize.isWithin(args, Number.POSITIVE_INFINITY, JsonSize.MAX_DEPTH)) return args
  return repairObject({ root: plain.schema, plain }, viewOf(plain.schema), args)
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

const repairValue = (context: Context, view: SchemaView, given: Schema.Json): Schema.Json => {
  const value = typeof given === "string" ? parsedText(kindsOf(view), given) : given
  if (Array.isArray(value)) return repairArray(context, view, value)
  return JsonSchema.isObject(value) ? repairObject(context, view, value) : value
}

const repairObject = (
  context: Context,
  view: SchemaView,
  value: Schema.JsonObject
): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, given]) => {
      const inner = memberOf(context.root, view, "object", (schema) => ofProperty(context, schema, name))
      const isRefused = given === null && !kindsOf(inner).has("null")
      return isRefused && !someOf(view, (schema) => JsonSchema.names(schema["required"]).includes(name))
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
  view: SchemaView,
  values: ReadonlyArray<Schema.Json>
): ReadonlyArray<Schema.Json> => {
  const places = Math.max(0, ...tupleLengths(view))
  const at = (index: number) => memberOf(context.root, view, "array", (schema) => ofItem(schema, index))
  const rest = at(places)
  return values.map((value, index) => repairValue(context, index < places ? at(index) : rest, value))
}

const tupleLengths = ({ all, unions }: SchemaView): ReadonlyArray<number> => [
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

// What a plain schema demands of one place in a value, seen through references and combinators. Pure.

/** Every schema of `all` has to hold, and of each list in `unions` at least one view. */
export interface SchemaView {
  readonly all: ReadonlyArray<Schema.Json>
  readonly unions: ReadonlyArray<ReadonlyArray<SchemaView>>
}

/** How many schemas a view looks at. What is beyond demands nothing, so that a view never demands too much. */
const SCHEMAS = 64

interface Room {
  left: number
}

/** The view of the root. */
export const viewOf = (root: Schema.JsonObject): SchemaView => view(root, [root], { left: SCHEMAS })

const view = (root: Schema.JsonObject, schemas: ReadonlyArray<Schema.Json>, room: Room): SchemaView => {
  const all = new Set<Schema.Json>()
  const todo = [...schemas]
  for (let next = todo.pop(); next !== undefined && room.left > 0; next = todo.pop()) {
    if (all.has(next)) continue
    room.left--
    all.add(next)
    if (JsonSchema.isObject(next)) todo.push(...alsoHolding(root, next))
  }
  const unions = JsonSchema.objects([...all]).flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter(Array.isArray))
  return {
    all: [...all],
    // Branches that there is no room to look at make the union say nothing.
    unions: unions.flatMap((branches) =>
      branches.length > room.left ? [] : [branches.map((branch) => view(root, [branch], room))]
    )
  }
}

const alsoHolding = (root: Schema.JsonObject, { $ref, allOf }: Schema.JsonObject): ReadonlyArray<Schema.Json> => [
  ...(typeof $ref === "string" ? [JsonSchema.referred(root, $ref)] : []),
  ...(Array.isArray(allOf) ? allOf : [])
]

/** The kinds of value that may stand there. Never too few. */
export const kindsOf = (view: SchemaView): ReadonlySet<JsonSchema.Kind> => {
  const found = kindsFound.get(view) ?? kindsOfSchemaView(view)
  kindsFound.set(view, found)
  return found
}

const kindsFound = new WeakMap<SchemaView | Schema.JsonObject, ReadonlySet<JsonSchema.Kind>>()

const kindsOfSchemaView = ({ all, unions }: SchemaView): ReadonlySet<JsonSchema.Kind> => {
  const limits = [
    ...all.map(ownKinds),
    ...unions.map((branches) => new Set(branches.flatMap((branch) => [...kindsOf(branch)])))
  ]
  return new Set([...ALL].filter((kind) => limits.every((limit) => limit.has(kind))))
}

const ALL = JsonSchema.kinds({}, {})

const ownKinds = (schema: Schema.Json): ReadonlySet<JsonSchema.Kind> => {
  if (schema === false) return new Set()
  if (!JsonSchema.isObject(schema)) return ALL
  const { type, const: only, enum: values } = schema
  const found = kindsFound.get(schema) ?? JsonSchema.kinds({}, {
    ...(type === undefined ? {} : { type }),
    ...(only === undefined ? {} : { const: only }),
    ...(values === undefined ? {} : { enum: values })
  })
  kindsFound.set(schema, found)
  return found
}

/**
 * The view of a member of an object or an array: `pick` gives what one schema demands of it. Branches that do not take
 * that kind of container have no say.
 */
export const memberOf = (
  root: Schema.JsonObject,
  of: SchemaView,
  container: "array" | "object",
  pick: (schema: Schema.JsonObject) => ReadonlyArray<Schema.Json>
): SchemaView => picked(root, of, container, pick, { left: SCHEMAS })

const picked = (
  root: Schema.JsonObject,
  { all, unions }: SchemaView,
  container: "array" | "object",
  pick: (schema: Schema.JsonObject) => ReadonlyArray<Schema.Json>,
  room: Room
): SchemaView => {
  const direct = view(root, JsonSchema.objects(all).flatMap(pick), room)
  const open = unions
    .map((branches) => branches.filter((branch) => kindsOf(branch).has(container)))
    .filter((branches) => branches.length > 0 && branches.length <= room.left)
  const inner = open.map((branches) => branches.map((branch) => picked(root, branch, container, pick, room)))
  return { all: direct.all, unions: [...direct.unions, ...inner] }
}

/** Whether any schema or branch that is in view holds. */
export const someOf = ({ all, unions }: SchemaView, holds: (schema: Schema.JsonObject) => boolean): boolean =>
  JsonSchema.objects(all).some(holds) || unions.flat().some((branch) => someOf(branch, holds))
