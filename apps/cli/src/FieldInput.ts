/** One field of a form, asked for on one line. */
import { ElicitationForm } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
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
    const value = ElicitationForm.read(field, said)
    if (Result.isSuccess(value)) return value.success === null ? {} : { [field.name]: value.success }
    yield* notes([`  ${paint.bad("✗")} ${oneLine(value.failure)}`])
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
