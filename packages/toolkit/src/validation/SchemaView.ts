/**
 * What a plain schema demands of one place in a value, seen through references and combinators. Pure.
 */
import type * as Schema from "effect/Schema"
import * as JsonSchema from "../JsonSchema.ts"

/** Every schema of `all` has to hold, and of each list in `unions` at least one view. @category models */
export interface SchemaView {
  readonly all: ReadonlyArray<Schema.Json>
  readonly unions: ReadonlyArray<ReadonlyArray<SchemaView>>
}

/** How many schemas a view looks at. What is beyond demands nothing, so that a view never demands too much. */
const SCHEMAS = 64

interface Room {
  left: number
}

/** The view of the root. @category constructors */
export const make = (root: Schema.JsonObject): SchemaView => view(root, [root], { left: SCHEMAS })

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

/** The kinds of value that may stand there. Never too few. @category getters */
export const kinds = (view: SchemaView): ReadonlySet<JsonSchema.Kind> => {
  const found = kindsFound.get(view) ?? kindsOf(view)
  kindsFound.set(view, found)
  return found
}

const kindsFound = new WeakMap<SchemaView | Schema.JsonObject, ReadonlySet<JsonSchema.Kind>>()

const kindsOf = ({ all, unions }: SchemaView): ReadonlySet<JsonSchema.Kind> => {
  const limits = [
    ...all.map(ownKinds),
    ...unions.map((branches) => new Set(branches.flatMap((branch) => [...kinds(branch)])))
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
 *
 * @category constructors
 */
export const member = (
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
    .map((branches) => branches.filter((branch) => kinds(branch).has(container)))
    .filter((branches) => branches.length > 0 && branches.length <= room.left)
  const inner = open.map((branches) => branches.map((branch) => picked(root, branch, container, pick, room)))
  return { all: direct.all, unions: [...direct.unions, ...inner] }
}

/** Whether any schema or branch that is in view holds. @category guards */
export const some = ({ all, unions }: SchemaView, holds: (schema: Schema.JsonObject) => boolean): boolean =>
  JsonSchema.objects(all).some(holds) || unions.flat().some((branch) => some(branch, holds))
