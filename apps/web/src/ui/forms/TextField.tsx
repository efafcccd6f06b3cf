/** A labelled line of text, tied to a signal. */
import type { Signal } from "@preact/signals"
import type { ComponentChildren, InputHTMLAttributes, Ref } from "preact"
import { LabelledField } from "./LabelledField.tsx"

type Passed = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  "autocomplete" | "autocapitalize" | "spellcheck" | "required" | "minLength" | "maxLength"
>

interface TextFieldProps extends Passed {
  readonly label: string
  readonly about?: ComponentChildren
  /** Says why what was typed is refused. */
  readonly wrong?: string | null
  readonly value: Signal<string>
  /** Runs after each change. */
  readonly onTyped?: () => void
  readonly isSecret?: boolean
  readonly isMono?: boolean
  readonly inputRef?: Ref<HTMLInputElement>
  /** Has the focus when its dialog opens. */
  readonly "data-focus"?: ""
}

export const TextField = ({
  about,
  inputRef = null,
  isMono = false,
  isSecret = false,
  label,
  onTyped,
  value,
  wrong,
  ...passed
}: TextFieldProps) => (
  <LabelledField label={label} about={about} wrong={wrong}>
    {(bind) => {
      const given = {
        ...passed,
        ...bind,
        class: isMono ? "input mono" : "input",
        ref: inputRef,
        value: value.value,
        onInput: (event: InputEvent & { readonly currentTarget: HTMLInputElement }) => {
          value.value = event.currentTarget.value
          onTyped?.()
        }
      }
      return isSecret ? <input {...given} type="password" /> : <input {...given} />
    }}
  </LabelledField>
)
