/** A schema as a list of schemas with one type each. */
import type * as Schema from "effect/Schema"
import { kindOf, own, without } from "../schema/JsonSchema.ts"
import * as Keywords from "../schema/Keywords.ts"
import { identity } from "./Conversion.ts"

/** A schema with one `type` other than null, and neither references nor combinators; its parts may have both. */
export interface TypeBranch {
  readonly type: string
  readonly schema: Schema.JsonObject
  readonly trail: ReadonlyArray<string>
}

export interface TypeBranches {
  readonly description: string | undefined
  readonly isNullable: boolean
  readonly branches: ReadonlyArray<TypeBranch>
  /** Any value will do; `branches` says nothing then. */
  readonly isAny: boolean
  readonly rest: Schema.JsonObject
}

export const textOf = (schema: Schema.JsonObject, key: string): string | undefined => {
  const value = own(schema, key)
  return typeof value === "string" ? value : undefined
}

/** The kinds a union says of itself, each with the words of its branch. */
export const described = (one: TypeBranches): ReadonlyArray<TypeBranch> =>
  one.branches.map((branch) => ({
    ...branch,
    schema: one.description === undefined ? branch.schema : { ...branch.schema, description: one.description }
  }))

/** Each kind once; texts of which some list their values are one list. */
export const different = (branches: ReadonlyArray<TypeBranch>): ReadonlyArray<TypeBranch> => {
  const found = Map.groupBy(branches, (branch) => isList(branch) ? branch.type : identity(branch.schema) ?? branch)
  return [...found.values()].flatMap((same) => joined(same))
}

const isList = ({ schema }: TypeBranch): boolean =>
  own(schema, "enum") !== undefined && Object.keys(schema).every((key) => key === "type" || key === "enum")

const joined = ([first, ...others]: ReadonlyArray<TypeBranch>): ReadonlyArray<TypeBranch> => {
  if (first === undefined) return []
  if (others.length === 0 || !isList(first)) return [first]
  const values = [first, ...others].flatMap(({ schema }) => own(schema, "enum") ?? [])
  return [{ ...first, schema: { ...first.schema, enum: [...new Set(values)] } }]
}

const INFERRED: ReadonlyArray<readonly [type: string, keywords: ReadonlyArray<string>]> = [
  ["object", ["properties", "required", "additionalProperties", "minProperties", "maxProperties", "propertyNames"]],
  ["array", ["items", "minItems", "maxItems", "uniqueItems", "contains"]],
  ["string", ["pattern", "minLength", "maxLength", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]]
]

/** A schema without references and combinators, one type at a time. */
export const branchesByType = (schema: Schema.JsonObject, trail: ReadonlyArray<string>): TypeBranches => {
  const constant = own(schema, "const")
  const listed = constant === undefined ? own(schema, "enum") : [constant]
  const values = Array.isArray(listed) ? listed : undefined
  const types = typesOf(schema, values)
  const bare = without(schema, new Set(["type", "enum", "const"]))
  const branches = types.filter((type) => type !== "null").flatMap((type): ReadonlyArray<TypeBranch> => {
    const fitting = values?.filter((value) => isOf(type, value))
    if (fitting?.length === 0) return []
    return [{ type, trail, schema: { type, ...bare, ...(fitting === undefined ? {} : { enum: fitting }) } }]
  })
  const isNullable = types.includes("null") && (values === undefined || values.includes(null))
  return {
    description: branches.length === 0 && isNullable ? textOf(schema, "description") : undefined,
    isNullable,
    branches: branches.map(only(branches.length)),
    isAny: types.length === 0,
    rest: bare
  }
}

/** One kind keeps everything; of several each keeps what is said of it. */
const only = (count: number) => (branch: TypeBranch): TypeBranch => {
  if (count === 1) return branch
  const foreign = INFERRED.filter(([type]) => type !== branch.type && !(type === "number" && branch.type === "integer"))
  return { ...branch, schema: without(branch.schema, new Set(foreign.flatMap(([, keywords]) => keywords))) }
}

const typesOf = (schema: Schema.JsonObject, values: ReadonlyArray<Schema.Json> | undefined): ReadonlyArray<string> => {
  const given = own(schema, "type")
  const types = Keywords.TYPES.filter((type) => given === type || (Array.isArray(given) && given.includes(type)))
    .filter((type, _, all) => type !== "integer" || !all.includes("number"))
  const isKept = values === undefined || values.some((value) => types.some((type) => isOf(type, value)))
  if (types.length > 0 && isKept) return types
  if (values !== undefined) return [...new Set(values.map((value) => kindOf(value)))]
  return INFERRED.filter(([, keywords]) => keywords.some((key) => own(schema, key) !== undefined)).map(([type]) => type)
}

const isOf = (type: string, value: Schema.Json): boolean =>
  type === "integer" ? Number.isInteger(value) : kindOf(value) === type
