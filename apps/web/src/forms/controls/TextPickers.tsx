/** Texts of a format that browsers have a field for. */
import type { JSX } from "preact"
import { UNSET } from "../FormDraft.ts"
import type { TextField } from "../FormField.ts"
import { fromLocal, toLocal } from "../LocalTime.ts"
import { type PlainProps, TextControl } from "./PlainControls.tsx"

type InputProps = Omit<JSX.IntrinsicElements["input"], "type" | "list" | "role">

const PICKERS: Readonly<Record<string, (props: InputProps) => JSX.Element>> = {
  email: (props) => <input {...props} class="input" type="email" />,
  uri: (props) => <input {...props} class="input" type="url" />,
  date: (props) => <input {...props} class="input short" type="date" />,
  "date-time": (props) => <input {...props} class="input short" type="datetime-local" step={1} />
}

const pickerOf = ({ format }: TextField) => PICKERS[format ?? ""]

export const isPicked = (field: TextField): boolean => pickerOf(field) !== undefined

/** A picker where there is one, else a plain field. Nothing that the browser knows of the person is filled in. */
export const PickedText = (props: PlainProps<TextField>) => {
  const { bind, draft, field, isRequired, onChange } = props
  const picker = pickerOf(field)
  const typed = draft.is === "text" ? draft.text : ""
  // An empty default is what an empty field shows.
  if (picker === undefined) return <TextControl {...props} draft={typed === "" ? UNSET : draft} />
  const isTime = field.format === "date-time"
  return picker({
    ...bind,
    required: isRequired,
    autocomplete: "off",
    spellcheck: false,
    placeholder: typeof field.default === "string" ? field.default : "",
    value: isTime ? toLocal(typed) : typed,
    onInput: ({ currentTarget: { value } }) => {
      const text = isTime ? fromLocal(value) : value
      onChange(text === "" ? UNSET : { is: "text", text })
    }
  })
}
