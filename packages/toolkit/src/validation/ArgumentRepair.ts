/** Arguments as a schema wants them, where that can be told for sure (docs/decisions.md#decision-9-arguments). Pure. */
import type { ErrorObject } from "ajv"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isObject } from "../schema/JsonSchema.ts"
import * as JsonSize from "../schema/JsonSize.ts"
import type { Validator } from "./SchemaValidator.ts"
import * as UnionErrors from "./UnionErrors.ts"
import * as Violations from "./Violations.ts"

export interface Repaired {
  readonly args: Schema.JsonObject
  readonly errors: ReturnType<Validator["errors"]>
}

/**
 * Repairs two slips of models, and only where the validator refuses the value: the text of an object or an array
 * becomes that object or array where the schema takes it, and a `null` for an optional property is left out. A text
 * stays where the schema takes a text and this one is only too long or too short; a `null` stays where its object needs
 * the property. Arguments that cannot be checked stay as they are, and so do those with more than 1,000 errors.
 */
export const repair = (validator: Validator, args: Schema.JsonObject): Repaired =>
  repeat(validator, { args, errors: validator.errors(args) }, PASSES)

/** Text may hold text: each pass reads one level. */
const PASSES = 16

const repeat = (validator: Validator, given: Repaired, passes: number): Repaired => {
  const changes = passes === 0 || errorsOf(given).length === 0 ? [] : changesFor(validator, given)
  if (changes.length === 0) return given
  const tried = apply(validator, given.args, changes)
  const left = Result.match(tried.errors, {
    onFailure: () => [],
    onSuccess: (errors) => {
      const known = new Set(errorsOf(given).map(ruleOf))
      const wrong = meantIn(errors, validator.schema)?.map((error) => ({ ...error, isNew: !known.has(ruleOf(error)) }))
      return wrong === undefined ? [] : changes.filter((change) => !wrong.some((error) => isAbout(error, change)))
    }
  })
  if (left.length === 0) return given
  // A branch of a union may accept the `null`, which then clears a field: it stays where the texts alone were wrong.
  const texts = left.filter(({ value }) => value !== undefined)
  const withNulls = texts.length === 0 || texts.length === left.length ? tried : apply(validator, given.args, texts)
  if (withNulls !== tried && Result.getOrElse(withNulls.errors, () => null)?.length === 0) return withNulls
  return repeat(validator, left.length === changes.length ? tried : apply(validator, given.args, left), passes - 1)
}

interface Change {
  readonly path: string
  /** The new value; undefined to leave the property out. */
  readonly value: Schema.Json | undefined
}

/** The changes that may help, each place once. */
const changesFor = ({ schema }: Validator, given: Repaired): ReadonlyArray<Change> => {
  const { args } = given
  const wrong = errorsOf(given)
  const meant = meantIn(wrong, schema)
  if (meant === null) return []
  const paths = new Set(wrong.filter(({ keyword }) => Violations.KIND.has(keyword)).map(pathOf))
  for (const error of meant) if (LENGTHS.has(error.keyword)) paths.delete(pathOf(error))
  return [...paths].flatMap((path): ReadonlyArray<Change> => {
    const value = valueAt(args, path)
    if (value === null) return isObject(valueAt(args, parentOf(path))) ? [{ path, value: undefined }] : []
    const read = typeof value === "string" ? parsed(value) : undefined
    return read === undefined ? [] : [{ path, value: read }]
  })
}

/** Null where there are so many that looking for the branch would hold up everybody else: it takes quadratic time. */
const meantIn = (errors: ReadonlyArray<ErrorObject>, schema: Validator["schema"]) =>
  errors.length > MOST_ERRORS ? null : UnionErrors.meant(errors, schema)

const MOST_ERRORS = 1000

const LENGTHS: ReadonlySet<string> = new Set(["maxLength", "minLength"])

const errorsOf = ({ errors }: Repaired): ReadonlyArray<ErrorObject> => Result.getOrElse(errors, () => [])

const pathOf = ({ instancePath }: ErrorObject): string => instancePath

const parentOf = (path: string): string => path.replace(/\/[^/]*$/, "")

const ruleOf = ({ instancePath, keyword }: ErrorObject): string => `${keyword} ${instancePath}`

const parsed = (text: string): Schema.Json | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined
  const value = Result.getOrElse(Result.try((): unknown => JSON.parse(text)), () => undefined)
  return JsonSize.isWithin(value, Number.POSITIVE_INFINITY, JsonSize.MAX_DEPTH) && JsonSize.isJson(value)
    ? value
    : undefined
}

/** Whether an error says that a change did not help, or that it broke another rule of the object it was made in. */
const isAbout = (
  { instancePath, isNew, keyword, params }: ErrorObject & { readonly isNew: boolean },
  { path, value }: Change
): boolean => {
  if (value !== undefined) return instancePath === path && Violations.KIND.has(keyword)
  return Violations.MISSING.has(keyword)
    ? `${instancePath}/${escaped(String(params["missingProperty"]))}` === path
    : isNew && instancePath === parentOf(path)
}

const apply = (validator: Validator, args: Schema.JsonObject, changes: ReadonlyArray<Change>): Repaired => {
  const byPath = new Map(changes.map((change) => [change.path, change]))
  const changed = objectAt(args, "", byPath)
  return { args: changed, errors: validator.errors(changed) }
}

const objectAt = (value: Schema.JsonObject, at: string, changes: ReadonlyMap<string, Change>): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const put = replaced(inner, `${at}/${escaped(name)}`, changes)
      return put === undefined ? [] : [[name, put]]
    })
  )

const replaced = (value: Schema.Json, at: string, changes: ReadonlyMap<string, Change>): Schema.Json | undefined => {
  const change = changes.get(at)
  if (change !== undefined) return change.value
  if (Array.isArray(value)) return value.map((item, index) => replaced(item, `${at}/${index}`, changes) ?? item)
  return isObject(value) ? objectAt(value, at, changes) : value
}

/** The way JSON pointers write a key. */
const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

const valueAt = (args: Schema.JsonObject, path: string): Schema.Json | undefined =>
  path.split("/").slice(1).reduce<Schema.Json | undefined>((at, step) => {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~")
    if (Array.isArray(at)) return at[Number(key)]
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, args)
