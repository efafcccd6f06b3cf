/** The controls of a question's form: one for each field, with its label, what it is about and what is wrong with it. */
import type { JSX } from "preact"
import { useId } from "preact/hooks"
import { About } from "../tools/controls/About.tsx"
import type { Bound } from "../tools/controls/ControlProps.ts"
import { ChoiceControl, JsonControl, NumberControl } from "../tools/controls/PlainControls.tsx"
import { type Draft, UNSET } from "../tools/form/FormDraft.ts"
import type { ChoiceField, Field, ListField, TextField } from "../tools/form/FormField.ts"
import { LabelledField as Labelled } from "../ui/forms/LabelledField.tsx"
import { chosen, fromLocal, optionsOf, toggled, toLocal } from "./QuestionForm.ts"

export interface ControlProps<F extends Field = Field> {
  readonly field: F
  readonly label: string
  readonly isRequired: boolean
  readonly draft: Draft
  readonly wrong: string | null
  readonly onChange: (draft: Draft) => void
}

/** What a field asks for. Its default is in it already, and a picker knows its format. */
const shownOf = (field: Field): Field => {
  const bare = { ...field, default: undefined }
  return bare.kind === "text" && TYPES[bare.format ?? ""] !== undefined ? { ...bare, format: null } : bare
}

export const QuestionControl = (props: ControlProps) => {
  const { draft, field, isRequired, label, onChange, wrong } = props
  const options = field.kind === "list" ? optionsOf(field) : null
  if (field.kind === "boolean") return <Check {...props} />
  if (field.kind === "list" && options !== null) return <Choices {...props} field={field} options={options} />
  return (
    <Labelled label={isRequired ? label : `${label} (optional)`} about={<About field={shownOf(field)} />} wrong={wrong}>
      {(bind) => {
        switch (field.kind) {
          case "text":
            return <Text bind={bind} field={field} isRequired={isRequired} draft={draft} onChange={onChange} />
          case "number":
            return <NumberControl bind={bind} field={field} isRequired={isRequired} draft={draft} onChange={onChange} />
          case "choice":
            return (
              <ChoiceControl
                bind={bind}
                field={field}
                isRequired={isRequired}
                draft={draft}
                onChange={onChange}
                none="None"
              />
            )
          default:
            return <JsonControl bind={bind} draft={draft} onChange={onChange} />
        }
      }}
    </Labelled>
  )
}

type InputProps = Omit<JSX.IntrinsicElements["input"], "type" | "list" | "role">

/** Inputs of a browser that help with what a format asks for. */
const TYPES: Readonly<Record<string, (props: InputProps) => JSX.Element>> = {
  email: (props) => <input {...props} type="email" />,
  uri: (props) => <input {...props} type="url" />,
  date: (props) => <input {...props} type="date" />,
  "date-time": (props) => <input {...props} type="datetime-local" step={1} />
}

const plainInput = (props: InputProps) => <input {...props} type="text" />

interface PlainProps<F> extends Omit<ControlProps, "field" | "label" | "wrong"> {
  readonly bind: Bound
  readonly field: F
}

const Text = ({ bind, draft, field, isRequired, onChange }: PlainProps<TextField>) => {
  const typed = draft.is === "text" ? draft.text : ""
  const isTime = field.format === "date-time"
  const put = (text: string) => {
    const value = isTime ? fromLocal(text) : text
    onChange(value === "" ? UNSET : { is: "text", text: value })
  }
  // Nothing that the browser knows of the person goes to a server by itself. What is left empty is its default.
  const shared = {
    ...bind,
    required: isRequired,
    autocomplete: "off",
    spellcheck: false,
    placeholder: typeof field.default === "string" ? field.default : ""
  }
  if (field.isLong || typed.includes("\n")) {
    return (
      <textarea
        {...shared}
        class="input growing"
        rows={3}
        value={typed}
        onInput={(event) => put(event.currentTarget.value)}
      />
    )
  }
  return (TYPES[field.format ?? ""] ?? plainInput)({
    ...shared,
    class: field.format?.startsWith("date") === true ? "input short" : "input",
    value: isTime ? toLocal(typed) : typed,
    onInput: (event) => put(event.currentTarget.value)
  })
}

const Check = ({ draft, field, label, onChange, wrong }: ControlProps) => {
  const id = useId()
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          {...(field.description === null ? {} : { "aria-describedby": id })}
          {...(wrong === null ? {} : { "aria-invalid": true as const })}
          checked={draft.is === "flag" && draft.value}
          onChange={(event) => onChange({ is: "flag", value: event.currentTarget.checked })}
        />
        <span>{label}</span>
      </label>
      {field.description === null ? null : <span class="about" id={id}>{field.description}</span>}
      {wrong === null ? null : <span class="wrong" role="alert">{wrong}</span>}
    </div>
  )
}

interface ChoicesProps extends ControlProps<ListField> {
  readonly options: ChoiceField["options"]
}

const Choices = ({ draft, field, isRequired, label, onChange, options, wrong }: ChoicesProps) => {
  const id = useId()
  const ticked = chosen(draft, options)
  return (
    <fieldset class="field choices" aria-describedby={wrong === null ? id : `${id} ${id}-wrong`}>
      <legend class="label">{isRequired ? label : `${label} (optional)`}</legend>
      <span class="about" id={id}>
        <About field={shownOf(field)} />
      </span>
      {options.map((option, index) => (
        <label class="check" key={index}>
          <input
            type="checkbox"
            {...(wrong === null ? {} : { "aria-invalid": true as const })}
            checked={ticked.includes(index)}
            onChange={() => onChange(toggled(draft, options, index))}
          />
          <span>{option.label}</span>
        </label>
      ))}
      {wrong === null ? null : <span class="wrong" id={`${id}-wrong`} role="alert">{wrong}</span>}
    </fieldset>
  )
}
