/** One value that a published server asks for. A choice has no silent default, and a secret is not shown. */
import type { PublishedInput } from "../../api/Types.ts"
import { gallery as words } from "../../messages/servers/GalleryMessages.ts"
import { type Bound, LabelledField } from "../../ui/forms/LabelledField.tsx"
import { aboutOf, labelOf, secretLines, withSecret } from "./InstallDraft.ts"

interface InputFieldProps {
  readonly input: PublishedInput
  readonly value: string
  readonly wrong: string | null
  readonly onValue: (value: string) => void
}

export const InputField = (props: InputFieldProps) => {
  const about = aboutOf(props.input)
  return (
    <LabelledField label={labelOf(props.input)} {...(about === "" ? {} : { about })} wrong={props.wrong}>
      {(bind) => <ValueControl {...props} bind={bind} />}
    </LabelledField>
  )
}

const ValueControl = ({ bind, input, onValue, value }: InputFieldProps & { readonly bind: Bound }) => {
  const { choices, format, isRepeated, isRequired, isSecret, placeholder } = input
  const shared = { ...bind, required: isRequired && input.default === null, value }
  const hint = placeholder === null ? {} : { placeholder }
  if (choices !== null && !isRepeated) {
    return (
      <select {...shared} class="input" onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        <option value="">{isRequired ? words.choose : words.leaveOut}</option>
        {choices.map((choice) => <option key={choice} value={choice}>{choice}</option>)}
      </select>
    )
  }
  if (isRepeated && isSecret) {
    return (
      <>
        {secretLines(value).map((line, at) => (
          <input
            key={at}
            {...(at === 0
              ? { ...bind, required: shared.required }
              : { "aria-label": words.further(input.key, at + 1) })}
            {...hint}
            class="input"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={line}
            onInput={({ currentTarget }) => onValue(withSecret(value, at, currentTarget.value))}
          />
        ))}
      </>
    )
  }
  if (isRepeated) {
    return (
      <textarea
        {...shared}
        {...hint}
        class="input mono"
        rows={3}
        spellcheck={false}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )
  }
  const text = {
    ...shared,
    ...hint,
    class: format === "filepath" ? "input mono" : "input",
    autocomplete: "off",
    spellcheck: false,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => onValue(currentTarget.value)
  }
  if (isSecret) return <input {...text} type="password" />
  return <input {...text} {...(format === "number" ? { inputmode: "decimal" } : {})} />
}
