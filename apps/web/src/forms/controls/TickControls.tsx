/** Ticks: of one value that is true or false, and of a list of which several options may be chosen. */
import { useId } from "preact/hooks"
import type { ChoiceField } from "../FormField.ts"
import { ticked, toggled } from "../Ticks.ts"
import { About } from "./About.tsx"
import type { PlainControlProps } from "./ControlProps.ts"

interface TickProps {
  readonly label: string
  readonly isOn: boolean
  readonly wrong: string | null
  readonly describedBy?: string | null
  readonly onToggle: () => void
}

const Tick = ({ describedBy = null, isOn, label, onToggle, wrong }: TickProps) => (
  <label class="check">
    <input
      type="checkbox"
      {...(describedBy === null ? {} : { "aria-describedby": describedBy })}
      {...(wrong === null ? {} : { "aria-invalid": true as const })}
      checked={isOn}
      onChange={onToggle}
    />
    <span>{label}</span>
  </label>
)

/** The label of a box alone, without a word on whether it must be ticked: it always has a value. */
export const TickControl = ({ draft, field, label, onChange, wrong }: PlainControlProps) => {
  const id = useId()
  const isOn = draft.is === "flag" && draft.value
  const { description } = field
  return (
    <div class="field">
      <Tick
        label={label}
        isOn={isOn}
        wrong={wrong}
        describedBy={description === null ? null : id}
        onToggle={() => onChange({ is: "flag", value: !isOn })}
      />
      {description === null ? null : <span class="about" id={id}>{description}</span>}
      {wrong === null ? null : <span class="wrong" role="alert">{wrong}</span>}
    </div>
  )
}

interface TicksProps extends PlainControlProps {
  readonly options: ChoiceField["options"]
}

export const TicksControl = ({ draft, field, label, onChange, options, wrong }: TicksProps) => {
  const id = useId()
  const chosen = ticked(draft, options)
  return (
    <fieldset class="field choices" aria-describedby={wrong === null ? id : `${id} ${id}-wrong`}>
      <legend class="label">{label}</legend>
      <span class="about" id={id}>
        <About field={field} />
      </span>
      {options.map((option, index) => (
        <Tick
          key={index}
          label={option.label}
          isOn={chosen.includes(index)}
          wrong={wrong}
          onToggle={() => onChange(toggled(draft, options, index))}
        />
      ))}
      {wrong === null ? null : <span class="wrong" id={`${id}-wrong`} role="alert">{wrong}</span>}
    </fieldset>
  )
}
