/** One field of a form, asked for on one line. */
import type { ElicitationForm } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { Keyboard } from "./Keyboard.ts"
import { Output } from "./Output.ts"
import type { Paint } from "./Paint.ts"
import { indented, oneLine } from "./PlainText.ts"

type Field = ElicitationForm.Field

/** The field under its name, nothing for one that is left out; null at the end of the input. */
export const ask = (
  field: Field,
  paint: Paint
): Effect.Effect<Schema.JsonObject | null, never, Keyboard | Output> =>
  Effect.gen(function*() {
    const { notes } = yield* Output
    yield* notes([
      ...(field.description === null ? [] : indented(field.description, "  ").map((line) => paint.dim(line))),
      ...field.options.map(({ title, value }, at) =>
        `  ${paint.dim(`${at + 1}.`)} ${oneLine(title)}${title === value ? "" : paint.dim(` (${oneLine(value)})`)}`
      )
    ])
    const said = yield* Keyboard.use((keyboard) => keyboard.line(`  ${paint.bold(promptOf(field))}: `))
    if (said === null) return null
    const text = said.trim()
    if (text === "") {
      if (!field.isRequired || field.default !== null) return {}
      yield* notes([`  ${paint.bad("✗")} it is needed`])
      return yield* ask(field, paint)
    }
    const value = valueOf(field, text)
    if (value !== undefined) return { [field.name]: value }
    yield* notes([`  ${paint.bad("✗")} ${WANTED[field.type]}`])
    return yield* ask(field, paint)
  })

const promptOf = ({ default: usual, format, isRequired, title, type }: Field): string => {
  const kind = type === "boolean" ? "y/n" : type === "choices" ? "numbers with commas" : format ?? null
  const words = [kind, isRequired ? null : "optional"].filter((word) => word !== null).join(", ")
  const given = usual === null ? "" : ` [${oneLine(usualText(usual))}]`
  return `${oneLine(title)}${words === "" ? "" : ` (${words})`}${given}`
}

const usualText = (usual: Schema.Json): string => {
  if (typeof usual === "string") return usual
  return Array.isArray(usual) ? usual.map(usualText).join(", ") : JSON.stringify(usual)
}

const WANTED = {
  text: "write a text",
  number: "write a number",
  integer: "write a whole number",
  boolean: "write y or n",
  choice: "write the number of one of them, or its value",
  choices: "write the numbers of some of them with commas between, or their values"
}

/** What a line says for a field; undefined for what it cannot be. The form's own limits are checked with the whole. */
export const valueOf = (field: Field, text: string): Schema.Json | undefined => {
  switch (field.type) {
    case "text":
      return text
    case "number":
      return numberOf(text)
    case "integer": {
      const number = numberOf(text)
      return Number.isInteger(number) ? number : undefined
    }
    case "boolean":
      return BOOLEANS[text.toLowerCase()]
    case "choice":
      return optionOf(field, text)
    case "choices": {
      const values = text.split(",").map((one) => optionOf(field, one.trim()))
      return values.every((value) => value !== undefined) ? values : undefined
    }
  }
}

const numberOf = (text: string): number | undefined => {
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

const BOOLEANS: Readonly<Record<string, boolean | undefined>> = {
  y: true,
  yes: true,
  true: true,
  n: false,
  no: false,
  false: false
}

/** A value goes before a number: it may be one. */
const optionOf = ({ options }: Field, text: string): string | undefined =>
  (options.find(({ value }) => value === text) ?? options.find(({ title }) => title === text) ??
    (/^\d+$/.test(text) ? options[Number(text) - 1] : undefined))?.value
