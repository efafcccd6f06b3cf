/** Asks for the arguments of a prompt of a server; each field completes as the server knows. */
import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import { completeArgument, usePrompt } from "../../api/Api.ts"
import type { FilledPrompt, Prompt, PromptArgument } from "../../api/Types.ts"
import { promptForm as words } from "../../messages/ChatMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { LabelledField } from "../../ui/forms/LabelledField.tsx"

interface PromptFormProps {
  readonly prompt: Prompt
  readonly onClose: () => void
  /** Gets what the server made of it. */
  readonly onFilled: (filled: FilledPrompt) => void
  /** The label of the button. */
  readonly action?: string
}

interface ArgumentProps {
  readonly prompt: Prompt
  readonly argument: PromptArgument
  readonly value: string
  readonly others: Readonly<Record<string, string>>
  readonly isFirst: boolean
  readonly onValue: (value: string) => void
}

const Argument = ({ argument, isFirst, onValue, others, prompt, value }: ArgumentProps) => {
  const known = useSignal<ReadonlyArray<string>>([])
  const list = useId()
  const complete = (text: string) =>
    // Most prompts complete nothing; then this is a field like any other.
    void completeArgument(prompt.server, prompt.name, { name: argument.name, value: text }, others)
      .then((answer) => known.value = answer.values, () => known.value = [])
  return (
    <LabelledField
      label={argument.required ? argument.name : words.optional(argument.name)}
      {...(argument.description === null ? {} : { about: argument.description })}
    >
      {(props) => (
        <>
          <input
            {...props}
            class="input"
            list={list}
            required={argument.required}
            {...(isFirst ? { "data-focus": "" } : {})}
            value={value}
            onFocus={() => complete(value)}
            onInput={(event) => {
              onValue(event.currentTarget.value)
              complete(event.currentTarget.value)
            }}
          />
          <datalist id={list}>{known.value.map((each) => <option key={each} value={each} />)}</datalist>
        </>
      )}
    </LabelledField>
  )
}

export const PromptForm = ({ action = words.use, onClose, onFilled, prompt }: PromptFormProps) => {
  const values = useSignal<Readonly<Record<string, string>>>({})
  const { isBusy, refused, run } = useAttempt()
  const submit = () => {
    const given = Object.fromEntries(Object.entries(values.value).filter(([, value]) => value !== ""))
    return run(() => usePrompt(prompt.server, prompt.name, given).then(onFilled))
  }
  return (
    <Dialog title={prompt.title ?? prompt.name} onClose={onClose}>
      {prompt.description === null ? null : <p class="muted">{prompt.description}</p>}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {prompt.arguments.map((argument, index) => (
          <Argument
            key={argument.name}
            prompt={prompt}
            argument={argument}
            isFirst={index === 0}
            value={values.value[argument.name] ?? ""}
            others={values.value}
            onValue={(value) => values.value = { ...values.value, [argument.name]: value }}
          />
        ))}
        <Refused why={refused.value} />
        <footer>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" disabled={isBusy.value}>{action}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
