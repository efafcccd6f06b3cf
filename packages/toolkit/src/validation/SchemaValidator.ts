/** Values against JSON Schemas that servers declared: any draft, nothing fetched, bounded in time. */
import type { Ajv2020, ErrorObject, ValidateFunction } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as JsonSize from "../schema/JsonSize.ts"
import * as CompilableSchema from "./CompilableSchema.ts"
import * as Violations from "./Violations.ts"

/**
 * The outcome of a check. `violations` has at most 5 sentences and a count of the rest, none for a valid value; `why`
 * says why the value was not checked, which says nothing against it.
 */
export type Verdict =
  | { readonly _tag: "Checked"; readonly violations: ReadonlyArray<string> }
  | { readonly _tag: "Unchecked"; readonly why: string }

/**
 * The limits of a check. A schema with more values, levels or schemas in it is not checked against; nor is a value
 * whose check takes more steps, where a step is a visit of one keyword or one member. To compile a schema of that size,
 * or to take so many steps, stops everything else for about 100 ms; published tools have at most 70 schemas.
 */
export const LIMITS = { ...CompilableSchema.LIMITS, schemas: 300, steps: 500_000 } as const

/**
 * Checks a value against a schema, as `CompilableSchema.from` reads it. The first check loads the validator, which
 * takes 50 ms, and the first one of a schema object compiles it. Never fails.
 */
export const check = (schema: Schema.JsonObject, value: Schema.Json): Effect.Effect<Verdict> =>
  Effect.map(of(schema), (validator) => verdict(validator, validator.errors(value)))

export interface Validator {
  readonly schema: Schema.JsonObject
  /** The errors of a value, or why it was not checked. */
  readonly errors: (value: Schema.Json) => Result.Result<ReadonlyArray<ErrorObject>, string>
}

/** At once for a schema object that was compiled before: an import, even of what is loaded, takes longer than a call. */
export const of = (schema: Schema.JsonObject): Effect.Effect<Validator> =>
  Effect.suspend(() => {
    const known = compiled.get(schema)
    return known === undefined ? Effect.map(library, (loaded) => first(loaded, schema)) : Effect.succeed(known)
  })

const first = (loaded: Library, schema: Schema.JsonObject): Validator => {
  const validator = compiled.get(schema) ?? compile(loaded, schema)
  compiled.set(schema, validator)
  return validator
}

export const verdict = ({ schema }: Validator, errors: ReturnType<Validator["errors"]>): Verdict =>
  Result.match(errors, {
    onSuccess: (found) => ({ _tag: "Checked", violations: found.length === 0 ? [] : Violations.words(found, schema) }),
    onFailure: (why) => ({ _tag: "Unchecked", why })
  })

/** Loads the validator, for callers that wait for something else anyway. */
export const preload: Effect.Effect<void> = Effect.suspend(() => Effect.asVoid(library))

const library = Effect.promise(() => import("ajv/dist/2020.js"))

const compiled = new WeakMap<Schema.JsonObject, Validator>()

interface Library {
  readonly Ajv2020: typeof Ajv2020
}

interface Meter {
  left: number
}

const compile = ({ Ajv2020 }: Library, declared: Schema.JsonObject): Validator => {
  const compilable = CompilableSchema.from(declared)
  if (compilable === null || compilable.parts > LIMITS.schemas) return unusable(declared, "it is too large")
  const { schema } = compilable
  const meter = { left: 0 }
  return Result.match(Result.try(() => withKeywords(new Ajv2020(options(compilable, meter)), meter).compile(schema)), {
    onSuccess: (validate) => ({ schema, errors: (value) => run(validate, meter, value) }),
    onFailure: (error) => unusable(declared, `it cannot be compiled: ${String(error).slice(0, 200)}`)
  })
}

const unusable = (schema: Schema.JsonObject, why: string): Validator => ({ schema, errors: () => Result.fail(why) })

const run = (validate: ValidateFunction, meter: Meter, value: Schema.Json): ReturnType<Validator["errors"]> => {
  meter.left = LIMITS.steps
  return Result.try({
    try: () => validate(value) ? [] : validate.errors ?? [],
    catch: () => "checking it would take too long"
  })
}

// Without `ownProperties` a parameter named "constructor" would be found in every object.
const options = ({ patterns }: CompilableSchema.CompilableSchema, meter: Meter) => {
  const engine = (source: string) => ({
    test: (text: string) => {
      const pattern = patterns.get(source)
      spend(meter, (text.length * (pattern?.steps ?? 0)) / 16)
      return pattern?.test(text) ?? true
    },
    // Patterns that are written alike are taken for one.
    toString: () => source
  })
  return {
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    logger: false,
    allErrors: true,
    verbose: true,
    messages: false,
    inlineRefs: false,
    ownProperties: true,
    multipleOfPrecision: 6,
    code: { optimize: false, regExp: Object.assign(engine, { code: "patterns" }) }
  } as const
}

const withKeywords = (ajv: Ajv2020, meter: Meter): Ajv2020 =>
  ajv
    .addKeyword({
      keyword: CompilableSchema.CHARGE,
      before: "$ref",
      schemaType: "array",
      errors: false,
      validate: (charge: CompilableSchema.Charge, value: Schema.Json) => spend(meter, cost(charge, value))
    })
    .removeKeyword("uniqueItems")
    .addKeyword({
      keyword: "uniqueItems",
      type: "array",
      schemaType: "boolean",
      // The validator's own compares every pair.
      validate: (isWanted: boolean, items: ReadonlyArray<Schema.Json>) => {
        if (!isWanted) return true
        const texts = items.map(JsonSize.canonical)
        spend(meter, texts.reduce((sum, text) => sum + text.length / 16, 0))
        return new Set(texts).size === items.length
      }
    })

const cost = ([fixed, each]: CompilableSchema.Charge, value: Schema.Json): number => {
  if (typeof value === "string") return fixed + value.length / 64
  if (typeof value !== "object" || value === null) return fixed
  return fixed + each * (Array.isArray(value) ? value.length : Object.keys(value).length)
}

const spend = (meter: Meter, steps: number): true => {
  meter.left -= steps
  // oxlint-disable-next-line house/no-throw -- the only way out of a foreign validator, caught by `run`.
  if (meter.left < 0) throw new RangeError("too many steps")
  return true
}
