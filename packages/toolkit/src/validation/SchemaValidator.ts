/** Values against JSON Schemas that servers declared: any draft, nothing fetched, bounded in time. */
import type { Ajv2020, ErrorObject, ValidateFunction } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as JsonSize from "../text/JsonSize.ts"
import * as PlainSchema from "./PlainSchema.ts"
import * as Violations from "./Violations.ts"

/**
 * What was found: `violations` in words, at most 5 and a count of the rest, none when the value is valid; or why it was
 * not checked, which says nothing against the value.
 */
export type Verdict =
  | { readonly _tag: "Checked"; readonly violations: ReadonlyArray<string> }
  | { readonly _tag: "Unchecked"; readonly why: string }

/**
 * The limits of a check. A schema that has more values, levels or schemas in it is not checked against; nor is a value
 * whose check takes more steps, where a step is a visit of one keyword or one member. To compile a schema of that size,
 * or to take so many steps, stops everything else for about 100 ms; published tools have at most 70 schemas.
 */
export const LIMITS = { ...PlainSchema.LIMITS, schemas: 300, steps: 500_000 } as const

/**
 * Checks a value against a schema. `$schema` decides the draft, 2020-12 holds without it, and where servers mix drafts
 * the milder reading counts. `format` is no more than an annotation; a reference that leads outside the schema and a
 * pattern that is not linear accept everything. The validator is loaded by the first check and compiled once for each
 * schema object; after that the verdict is there at once. Never fails.
 */
export const check = (schema: Schema.JsonObject, value: Schema.Json): Effect.Effect<Verdict> => {
  const compiled = known.get(schema)
  if (compiled !== undefined) return Effect.succeed(judge(compiled, value))
  return Effect.map(library, (loaded) => {
    const first = compile(loaded, schema)
    known.set(schema, first)
    return judge(first, value)
  })
}

/** Loads the validator, for whoever waits for something else anyway. */
export const preload: Effect.Effect<void> = Effect.suspend(() => Effect.asVoid(library))

const judge = (compiled: Result.Result<Validator, string>, value: Schema.Json): Verdict =>
  Result.isSuccess(compiled) ? run(compiled.success, value) : { _tag: "Unchecked", why: compiled.failure }

/** It takes 50 ms to load, which only those who call a tool should wait for. */
const library = Effect.promise(() => import("ajv/dist/2020.js")).pipe(Effect.orDie)

interface Validator {
  readonly plain: Schema.JsonObject
  readonly validate: ValidateFunction
  readonly meter: Meter
}

interface Meter {
  left: number
}

const known = new WeakMap<Schema.JsonObject, Result.Result<Validator, string>>()

interface Library {
  readonly Ajv2020: typeof Ajv2020
}

const compile = ({ Ajv2020 }: Library, declared: Schema.JsonObject): Result.Result<Validator, string> => {
  const plain = PlainSchema.from(declared)
  if (plain === null || plain.parts > LIMITS.schemas) return TOO_LARGE
  const meter = { left: 0 }
  return Result.try({
    try: () => {
      const ajv = withKeywords(new Ajv2020(options(plain, meter)), meter)
      return { validate: ajv.compile(plain.schema), meter, plain: plain.schema }
    },
    catch: (error) => `it cannot be compiled: ${String(error).slice(0, 200)}`
  })
}

const TOO_LARGE = Result.fail("it is too large")

// Without `ownProperties` a parameter named "constructor" would be found in every object.
const options = ({ patterns }: PlainSchema.PlainSchema, meter: Meter) => {
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
      keyword: PlainSchema.CHARGE,
      before: "$ref",
      schemaType: "array",
      errors: false,
      validate: (charge: PlainSchema.Charge, value: Schema.Json) => spend(meter, cost(charge, value))
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

const cost = ([fixed, each]: PlainSchema.Charge, value: Schema.Json): number => {
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

const run = ({ meter, plain, validate }: Validator, value: Schema.Json): Verdict => {
  meter.left = LIMITS.steps
  const checked = Result.try(() => validate(value))
  if (Result.isFailure(checked)) return { _tag: "Unchecked", why: "checking it would take too long" }
  const errors: ReadonlyArray<ErrorObject> = validate.errors ?? []
  validate.errors = null
  return { _tag: "Checked", violations: checked.success ? [] : Violations.words(errors, plain) }
}
