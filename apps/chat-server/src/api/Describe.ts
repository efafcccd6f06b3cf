/**
 * What the groups of the contract share.
 */
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

export const about = (description: string) => OpenApi.annotations({ description })

/** A key that may be left out or null. */
export const nullable = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The number of a line, part or event; 0 is before the first. */
export const Seq = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0))

/** The path parameter `:name`. */
export const name = { name: Schema.String }
