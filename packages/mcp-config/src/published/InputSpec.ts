/** The fields that a person fills in before a published server can run, and the texts with gaps that they go into. */
import * as Schema from "effect/Schema"
import * as ServerName from "../model/ServerName.ts"

/** One value that is asked for. */
export interface PublishedInput {
  /** Its name in `--set KEY=VALUE`, unique in its candidate. */
  readonly key: string
  /** Where its value goes. */
  readonly place: "environment" | "header" | "argument" | "address"
  readonly description: string | null
  readonly isRequired: boolean
  readonly isSecret: boolean
  /** Whether it takes several values. */
  readonly isRepeated: boolean
  readonly format: "string" | "number" | "boolean" | "filepath"
  readonly default: string | null
  readonly placeholder: string | null
  /** The only values that it takes; null for any. */
  readonly choices: ReadonlyArray<string> | null
}

/** A text with gaps; a gap is the key of an input. */
export type Gapped = ReadonlyArray<{ readonly text: string } | { readonly gap: string }>

const MOST_CHARACTERS = 4000
export const MOST_INPUTS = 100

const text = Schema.String.check(Schema.isMaxLength(MOST_CHARACTERS))
const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Scalar = Schema.Union([text, Schema.Finite, Schema.Boolean])

const FIELDS = {
  description: optional(text),
  isRequired: optional(Schema.Boolean),
  isSecret: optional(Schema.Boolean),
  format: optional(text),
  value: optional(Scalar),
  default: optional(Scalar),
  placeholder: optional(text),
  choices: optional(Schema.Array(Scalar).check(Schema.isMaxLength(MOST_INPUTS)))
}

export const Variables = optional(
  Schema.Record(text, Schema.Struct(FIELDS)).check(
    Schema.makeFilter((all) => Object.keys(all).length <= MOST_INPUTS)
  )
)

/** An input of a document, with the variables of its value. */
export const Input = Schema.Struct({ ...FIELDS, variables: Variables })
export type Input = typeof Input.Type

/** An environment variable, or a header. */
export const NamedInput = Schema.Struct({ name: text, ...Input.fields })

export const Argument = Schema.Struct({
  type: Schema.Literals(["positional", "named"]),
  name: optional(text),
  valueHint: optional(text),
  isRepeated: optional(Schema.Boolean),
  ...Input.fields
})

type Fields = Pick<Input, Exclude<keyof Input, "value" | "variables">>

/** The input that a document's fields declare. */
const declared = (key: string, place: PublishedInput["place"], fields: Fields, isRepeated = false) => {
  const { choices, default: standard, description, format, isRequired, isSecret, placeholder } = fields
  const known = FORMATS.find((one) => one === format) ?? "string"
  const listed = choices === null || choices === undefined || choices.length === 0 ? null : choices.map(String)
  return {
    key,
    place,
    description: shownOrNull(description),
    isRequired: isRequired === true,
    isSecret: isSecret === true,
    isRepeated,
    format: known,
    default: standard === null || standard === undefined || standard === "" ? null : String(standard),
    placeholder: shownOrNull(placeholder),
    choices: listed ?? (known === "boolean" ? ["true", "false"] : null)
  } satisfies PublishedInput
}

const FORMATS = ["string", "number", "boolean", "filepath"] as const

const shownOrNull = (given: string | null | undefined): string | null =>
  given === null || given === undefined || given === "" ? null : ServerName.shown(given.replace(/\s+/g, " ").trim())

/** The inputs of a candidate as they are found. A key that is taken gets a number behind it. */
export class InputTable {
  readonly #all = new Map<string, PublishedInput>()

  get all(): ReadonlyArray<PublishedInput> {
    return [...this.#all.values()]
  }

  /** Takes an input in and gives the key that it has from now on. */
  add(input: PublishedInput): string {
    const wanted = input.key.replaceAll("=", "").trim() || "value"
    let key = wanted
    for (let next = 2; this.#all.has(key); next++) key = `${wanted} ${next}`
    this.#all.set(key, { ...input, key })
    return key
  }

  /** The text of an input of a document: fixed, with variables, or all of it asked for. */
  gapped(name: string, place: PublishedInput["place"], input: Input, isRepeated = false): Gapped {
    const { value, variables } = input
    if (value === null || value === undefined) {
      return [{ gap: this.add(declared(name, place, input, isRepeated)) }]
    }
    return this.filled(String(value), place, variables ?? {}, input)
  }

  /** Splits a text at `{name}` where `variables` has the name; any other brace stays as it is. */
  filled(
    value: string,
    place: PublishedInput["place"],
    variables: NonNullable<Input["variables"]>,
    whole: Pick<Input, "isRequired" | "isSecret"> = {}
  ): Gapped {
    const keys = new Map<string, string>()
    const pieces = value.split(/(\{[^{}]{1,200}\})/).filter((piece) => piece !== "")
    return pieces.map((piece) => {
      const name = piece.startsWith("{") ? piece.slice(1, -1) : ""
      const fields = Object.hasOwn(variables, name) ? variables[name] : undefined
      if (fields === undefined) return { text: piece }
      if (fields.value !== null && fields.value !== undefined) return { text: String(fields.value) }
      const isSecret = fields.isSecret === true || whole.isSecret === true
      const isRequired = fields.isRequired === true || whole.isRequired === true
      const gap = keys.get(name) ?? this.add({ ...declared(name, place, fields), isSecret, isRequired })
      keys.set(name, gap)
      return { gap }
    })
  }
}
