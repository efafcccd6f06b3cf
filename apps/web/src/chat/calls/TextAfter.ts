/** The text that a call would leave, as far as its arguments say it. Pure. */
import type { Json, JsonObject } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"

export interface TextAfter {
  readonly after: string
  /** The arguments that say it: they need not be shown beside the difference. */
  readonly told: ReadonlyArray<string>
}

/** Arguments that take the whole text, the likeliest first. */
const WHOLE = ["content", "contents", "text", "file_text", "new_content", "body", "data"]

/** The names that tools give the text that is replaced, and the text that stands there then. */
const EDITS = [["oldText", "newText"], ["old_text", "new_text"], ["old_string", "new_string"], [
  "old_str",
  "new_str"
]] as const

const textOf = (value: Json | undefined): string | null => typeof value === "string" ? value : null

/** Null where the text is not there as often as it must be. */
const edited = (text: string, edit: Json): { readonly text: string; readonly told: ReadonlyArray<string> } | null => {
  if (!isObject(edit)) return null
  for (const [oldKey, newKey] of EDITS) {
    const [from, to] = [textOf(edit[oldKey]), textOf(edit[newKey])]
    if (from === null || to === null || from === "") continue
    const parts = text.split(from)
    const count = edit["count"]
    if (parts.length === 1 || typeof count === "number" && parts.length - 1 !== count) return null
    const [first = "", ...rest] = parts
    return {
      text: typeof count === "number" ? parts.join(to) : first + to + rest.join(from),
      told: [oldKey, newKey, "count"]
    }
  }
  return null
}

/** Null where it cannot be known from the arguments. */
export const textAfter = (before: string, args: JsonObject): TextAfter | null => {
  const { edits } = args
  if (Array.isArray(edits)) {
    const after = edits.reduce<string | null>(
      (text, one) => text === null ? null : edited(text, one)?.text ?? null,
      before
    )
    return after === null ? null : { after, told: ["edits"] }
  }
  const single = edited(before, args)
  if (single !== null) return { after: single.text, told: single.told.filter((key) => key in args) }
  const key = WHOLE.find((name) => typeof args[name] === "string")
  const whole = key === undefined ? null : textOf(args[key])
  return key === undefined || whole === null ? null : { after: whole, told: [key] }
}
