/** `where` of a rule: what the arguments of a call must be like. Arguments are compared one by one, never as JSON text. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as PathText from "./PathText.ts"

const Scalar = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])

const Range = Schema.Struct({ min: Schema.optionalKey(Schema.Finite), max: Schema.optionalKey(Schema.Finite) })
  .check(Schema.makeFilter(({ max, min }) => max !== undefined || min !== undefined))

const Glob = Schema.String.check(Schema.isPattern(/^[^!]/))

/**
 * The condition on one argument: a pattern, in which `*` matches any run of characters, `/` included; one of some
 * values; or a number within limits, both included. A pattern does not begin with `!`.
 */
export const Wanted = Schema.Union([Glob, Schema.Struct({ in: Schema.NonEmptyArray(Scalar) }), Range])
export type Wanted = typeof Wanted.Type

/** The conditions on arguments, by name, as the file has them. All of them count. */
export const Where = Schema.Record(Schema.String, Wanted)
export type Where = typeof Where.Type

/** The arguments that conditions are about. */
export interface Given {
  readonly args: Schema.JsonObject
  /**
   * Where paths among the arguments lead once links are resolved, in the form of the argument: relative where it is
   * relative and stays in the server's folder. Null for one that cannot be resolved.
   */
  readonly real?: Readonly<Record<string, string | null>> | undefined
}

/**
 * Why the conditions do not hold, in words such as `path is not notes/*`; null where they do. `isStrict` is for what
 * allows: then every element of a list must fit, exactly, and a value of another kind does not. Otherwise one element
 * is enough, case does not count, and a value of another kind fits. An argument that is missing never fits.
 */
export const unmet = (where: Where, given: Given, isStrict: boolean): string | null => {
  for (const [name, wanted] of Object.entries(where)) {
    const values = valuesOf(own(given.args, name))
    if (values.length === 0) return `${name} is not given`
    const fits = (value: Schema.Json) => fit(wanted, value, isStrict)
    const real = given.real === undefined ? undefined : own(given.real, name)
    const isMet = isStrict
      ? values.every(fits) && (real === undefined || real !== null && fits(real))
      : values.some(fits) || real !== undefined && real !== null && fits(real)
    if (!isMet) return `${name} is not ${inWords(wanted)}`
  }
  return null
}

const own = <A>(record: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

const valuesOf = (value: Schema.Json | undefined): ReadonlyArray<Schema.Json> => {
  if (value === undefined) return []
  return isList(value) ? value : [value]
}

const isList = (value: Schema.Json): value is Schema.JsonArray => Array.isArray(value)

const fit = (wanted: Wanted, value: Schema.Json, isStrict: boolean): boolean => {
  if (value === null || typeof value === "object") return !isStrict
  const compare = isStrict ? PathText.covers : PathText.reaches
  if (Predicate.isString(wanted)) return compare(wanted, String(value), PathText.GLOB)
  if ("in" in wanted) return wanted.in.some((one) => compare(String(one), String(value), PathText.LITERAL))
  if (typeof value !== "number") return !isStrict
  return value >= (wanted.min ?? -Infinity) && value <= (wanted.max ?? Infinity)
}

/** A condition as a person reads it, such as `notes/*` or `1 to 10`. */
const inWords = (wanted: Wanted): string => {
  if (Predicate.isString(wanted)) return wanted
  if ("in" in wanted) return wanted.in.length === 1 ? `${wanted.in[0]}` : `one of ${wanted.in.join(", ")}`
  if (wanted.min === undefined) return `at most ${wanted.max}`
  return wanted.max === undefined ? `at least ${wanted.min}` : `${wanted.min} to ${wanted.max}`
}

/** Conditions as a person reads them, such as `path is notes/* and count is at most 10`; empty without any. */
export const describe = (where: Where): string =>
  Object.entries(where).map(([name, wanted]) => `${name} is ${inWords(wanted)}`).join(" and ")
