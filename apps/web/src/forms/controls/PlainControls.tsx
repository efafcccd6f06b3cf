/** The controls of values that have no others in them. */
import { forms as texts } from "../../messages/FormsMessages.ts"
import type { Bound } from "../../ui/forms/LabelledField.tsx"
import { type Draft, UNSET } from "../FormDraft.ts"
import type { BooleanField, ChoiceField, NumberField, TextField } from "../FormField.ts"

export interface PlainProps<F> {
  readonly bind: Bound
  readonly field: F
  readonly draft: Draft
  readonly isRequired: boolean
  readonly onChange: (draft: Draft) => void
}

const typedText = (draft: Draft): string => draft.is === "text" ? draft.text : ""

/** An emptied field is left out; an empty text is a value only where somebody said so. */
const draftOf = (text: string): Draft => text === "" ? UNSET : { is: "text", text }

const MODES: Readonly<Record<string, "email" | "url">> = { email: "email", uri: "url", url: "url" }

const hintOf = (draft: Draft, otherwise: string): string => draft.is === "text" ? texts.emptyText : otherwise

const defaultOf = ({ default: value }: TextField | NumberField): string =>
  value === undefined || value === null ? "" : String(typeof value === "object" ? JSON.stringify(value) : value)

export const TextControl = ({ bind, draft, field, isRequired, onChange }: PlainProps<TextField>) => {
  const shared = {
    ...bind,
    required: isRequired,
    spellcheck: false,
    autocomplete: "off",
    placeholder: hintOf(draft, defaultOf(field)),
    value: typedText(draft)
  }
  const inputMode = MODES[field.format ?? ""]
  return field.isLong || typedText(draft).includes("\n")
    ? (
      <textarea
        {...shared}
        class="input growing"
        rows={3}
        onInput={(event) => onChange(draftOf(event.currentTarget.value))}
      />
    )
    : (
      <input
        {...shared}
        class="input"
        type="text"
        {...(inputMode === undefined ? {} : { inputMode })}
        onInput={(event) => onChange(draftOf(event.currentTarget.value))}
      />
    )
}

export const NumberControl = ({ bind, draft, field, isRequired, onChange }: PlainProps<NumberField>) => (
  <input
    {...bind}
    class="input short"
    type="text"
    inputMode={field.isInteger ? "numeric" : "decimal"}
    required={isRequired}
    autocomplete="off"
    placeholder={defaultOf(field)}
    value={typedText(draft)}
    onInput={(event) => onChange(draftOf(event.currentTarget.value))}
    onKeyDown={(event) => {
      // The arrow keys count as in a number field, which would hide a text that is no number.
      const step = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0
      const value = Number(typedText(draft))
      if (step === 0 || !Number.isFinite(value)) return
      event.preventDefault()
      onChange({ is: "text", text: String(within(field, value + step * (field.step ?? 1))) })
    }}
  />
)

const within = ({ maximum, minimum }: NumberField, value: number): number =>
  Math.max(minimum ?? -Infinity, Math.min(maximum ?? Infinity, value))

export const BooleanControl = ({ bind, draft, field, isRequired, onChange }: PlainProps<BooleanField>) => (
  <select
    {...bind}
    class="input short"
    required={isRequired}
    value={draft.is === "flag" ? String(draft.value) : ""}
    onChange={({ currentTarget: { value } }) =>
      onChange(value === "" ? UNSET : { is: "flag", value: value === "true" })}
  >
    <option value="">
      {isRequired
        ? texts.choose
        : typeof field.default === "boolean"
        ? texts.defaultChoice(String(field.default))
        : texts.notSet}
    </option>
    <option value="true">{texts.yes}</option>
    <option value="false">{texts.no}</option>
  </select>
)

interface ChoiceProps extends PlainProps<ChoiceField> {
  /** The choice when nothing is chosen. */
  readonly none?: string
}

export const ChoiceControl = ({ bind, draft, field, isRequired, none = texts.notSet, onChange }: ChoiceProps) => (
  <select
    {...bind}
    class="input"
    required={isRequired}
    value={draft.is === "choice" ? String(draft.index) : ""}
    onChange={({ currentTarget: { value } }) => onChange(value === "" ? UNSET : { is: "choice", index: Number(value) })}
  >
    <option value="">{isRequired ? texts.choose : none}</option>
    {field.options.map(({ label }, index) => <option key={index} value={String(index)}>{label}</option>)}
  </select>
)

export const JsonControl = ({ bind, draft, onChange }: Omit<PlainProps<never>, "field" | "isRequired">) => (
  <textarea
    {...bind}
    class="input mono growing"
    rows={2}
    spellcheck={false}
    placeholder={texts.jsonHint}
    value={draft.is === "json" ? draft.text : ""}
    onInput={({ currentTarget: { value } }) => onChange(value === "" ? UNSET : { is: "json", text: value })}
  />
)
