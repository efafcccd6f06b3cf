/** Fills in a form as somebody might who keeps to what it says: the same for the same seed. */
import type { Json } from "../../src/api/Types.ts"
import { type Draft, UNSET } from "../../src/forms/FormDraft.ts"
import type { Field, NumberField, TextField } from "../../src/forms/FormField.ts"

type Random = (below: number) => number

/** A generator of whole numbers; Park and Miller's. */
const random = (seed: number): Random => {
  let state = seed % 2147483646 + 1
  return (below) => {
    state = state * 48271 % 2147483647
    return state % below
  }
}

export const filled = (field: Field, seed: number): Draft => fill(field, true, random(seed), 0)

const fill = (field: Field, isRequired: boolean, next: Random, depth: number): Draft => {
  if (!isRequired && (depth > 5 || next(2) === 0)) return UNSET
  if (field.isNullable && next(4) === 0) return { is: "null" }
  switch (field.kind) {
    case "text":
      return { is: "text", text: words(field, next) }
    case "number":
      return { is: "text", text: String(amount(field, next)) }
    case "boolean":
      return { is: "flag", value: next(2) === 0 }
    case "choice":
      return { is: "choice", index: next(field.options.length) }
    case "list": {
      const most = Math.min(field.maxItems ?? Infinity, field.minItems + 3)
      const length = field.minItems + next(most - field.minItems + 1)
      return { is: "list", items: Array.from({ length }, () => fill(field.item(), true, next, depth + 1)) }
    }
    case "object": {
      const { extra } = field
      const keys = extra === null ? [] : ["k1", "a key"].slice(0, next(3))
      return {
        is: "object",
        fields: new Map(
          field.properties().map((one) => [one.key, fill(one.field, one.isRequired, next, depth + 1)])
        ),
        extra: keys.flatMap((key) => extra === null ? [] : [{ key, draft: fill(extra(), true, next, depth + 1) }])
      }
    }
    case "variants": {
      const variants = field.variants()
      const index = next(variants.length)
      const variant = variants[index]
      return variant === undefined ? UNSET : { is: "variant", index, draft: fill(variant.field, true, next, depth + 1) }
    }
    case "json":
      return { is: "json", text: JSON.stringify(ANY[next(ANY.length)]) }
  }
}

const ANY: ReadonlyArray<Json> = ["text", 1, true, { a: [1] }, []]

/** Of the few patterns among published tools; a pattern that is not here fails the test that uses it. */
const MATCHING: Readonly<Record<string, string>> = { "^[GDZTKOFS]*$": "GD", "^AS\\d+$": "AS13335" }

const words = ({ maxLength, minLength, pattern }: TextField, next: Random): string => {
  if (pattern !== null) return MATCHING[pattern] ?? ""
  const length = (minLength ?? 0) + next(6)
  return "añ b\n\"✓".repeat(length + 1).slice(0, Math.min(length, maxLength ?? Infinity))
}

const amount = ({ above, below, isInteger, maximum, minimum, step }: NumberField, next: Random): number => {
  const low = Math.ceil(minimum ?? (above === null ? (maximum ?? below ?? 0) - 10 : above + 1))
  const high = Math.floor(maximum ?? (below === null ? low + 20 : below - 1))
  const value = low + next(Math.max(1, high - low + 1))
  if (step !== null) return Math.ceil(value / step) * step
  return isInteger || value + 0.5 > high ? value : value + 0.5
}
