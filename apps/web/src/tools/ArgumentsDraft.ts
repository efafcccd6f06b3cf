/** The arguments somebody puts together for one tool: as a form and as text, and changing between both loses nothing. */
import { type Signal, signal } from "@preact/signals"
import type { Json, JsonObject } from "../api/Types.ts"
import type { FieldProblem } from "../forms/FieldProblem.ts"
import { type Draft, fromJson, initial, toJson } from "../forms/FormDraft.ts"
import { type ObjectField, ofArguments } from "../forms/FormField.ts"
import { isObject } from "../forms/SchemaReading.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"

const PLAIN: ReadonlySet<string> = new Set(["string", "number", "boolean"])

/** A schema with a property for each of these arguments, for a tool whose own is not known. */
export const guessedSchema = (args: JsonObject): JsonObject => {
  const schemaOf = (value: Json): JsonObject => PLAIN.has(typeof value) ? { type: typeof value } : {}
  return { properties: Object.fromEntries(Object.entries(args).map(([key, value]) => [key, schemaOf(value)])) }
}

export class ArgumentsDraft {
  readonly form: ObjectField
  readonly draft: Signal<Draft>
  readonly mode = signal<"form" | "json">("form")
  readonly text = signal("")
  /** The problem of the text, while it is shown. */
  readonly textProblem = signal<string | null>(null)
  /** The problems that keep the form from being sent, or the server's words about it. */
  readonly problems = signal<ReadonlyArray<FieldProblem>>([])

  readonly #given: JsonObject | null

  /** Begins with these arguments, or with the defaults of the schema. */
  constructor(schema: JsonObject, given: JsonObject | null = null) {
    this.form = ofArguments(schema)
    this.#given = given
    this.draft = signal(this.#first())
  }

  #first = (): Draft => this.#given === null ? initial(this.form, true) : fromJson(this.form, this.#given)

  /** Whether these are other arguments than those it began with. */
  isOther(value: JsonObject): boolean {
    const inOrderOfForm = toJson(this.form, this.#first(), true).value
    return ![this.#given, inOrderOfForm].some((one) => JSON.stringify(one) === JSON.stringify(value))
  }

  change(draft: Draft) {
    this.draft.value = draft
    if (this.problems.value.length > 0) this.problems.value = []
  }

  type(text: string) {
    this.text.value = text
    this.textProblem.value = null
  }

  /** Changes to the text. Values that the form cannot read stand there as they were typed. */
  toText() {
    this.text.value = JSON.stringify(toJson(this.form, this.draft.value, true).value ?? {}, null, 2)
    this.textProblem.value = null
    this.mode.value = "json"
  }

  /** To the form, unless the text is no JSON object: it stays then, with what is wrong. */
  toForm() {
    const value = this.parsed()
    if (value === undefined) return
    this.draft.value = fromJson(this.form, value)
    this.problems.value = []
    this.mode.value = "form"
  }

  /** Arguments of an earlier call. */
  take(args: Json) {
    this.draft.value = fromJson(this.form, args)
    this.problems.value = []
    if (this.mode.value === "json") this.type(JSON.stringify(args, null, 2))
  }

  reset() {
    this.draft.value = this.#first()
    this.problems.value = []
    if (this.mode.value === "json") this.toText()
  }

  /** The arguments that can be sent; undefined when something is missing or wrong, which is shown then. */
  checked(): JsonObject | undefined {
    if (this.mode.value === "json") return this.parsed()
    const { problems, value } = toJson(this.form, this.draft.value, true)
    this.problems.value = problems
    return problems.length === 0 && value !== undefined && isObject(value) ? value : undefined
  }

  /** The arguments so far, right or wrong. */
  lenient(): Json | undefined {
    if (this.mode.value === "form") return toJson(this.form, this.draft.value, true).value
    try {
      return JSON.parse(this.text.value)
    } catch {
      return undefined
    }
  }

  private parsed(): JsonObject | undefined {
    try {
      const value: unknown = JSON.parse(this.text.value.trim() === "" ? "{}" : this.text.value)
      if (isObject(value)) return value
      this.textProblem.value = texts.notAnObject
    } catch (error) {
      this.textProblem.value = texts.notJson(error instanceof Error ? error.message : String(error))
    }
    return undefined
  }
}
