/** One of several, as a list to choose from. */
import type { Signal } from "@preact/signals"
import { LabelledField } from "../ui/forms/LabelledField.tsx"

interface ChoiceProps {
  readonly label: string
  /** The choice: the first of a pair. */
  readonly of: Signal<string>
  readonly options: ReadonlyArray<readonly [string, string]>
  readonly onChange?: () => void
}

export const Choice = ({ label, of, onChange, options }: ChoiceProps) => (
  <LabelledField label={label}>
    {(bind) => (
      <select
        {...bind}
        class="input"
        value={of.value}
        onChange={({ currentTarget: { value } }) => {
          of.value = value
          onChange?.()
        }}
      >
        {options.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
      </select>
    )}
  </LabelledField>
)
