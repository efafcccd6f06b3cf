/** A question with a form: its defaults are filled in, and what the server refuses stands at its field. */
import { useSignal } from "@preact/signals"
import { useMemo, useRef } from "preact/hooks"
import type { Question } from "../api/Types.ts"
import type { FieldProblem } from "../tools/form/FormDraft.ts"
import { about } from "../tools/form/ServerProblems.ts"
import { Button } from "../ui/Button.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import type { AnswerState } from "./AnswerState.ts"
import { QuestionControl } from "./QuestionControls.tsx"
import { fieldsOf, initial, read } from "./QuestionForm.ts"

interface FormQuestionProps {
  readonly question: Question
  readonly answering: AnswerState
}

export const FormQuestion = ({ answering, question: { schema, server } }: FormQuestionProps) => {
  const fields = useMemo(() => fieldsOf(schema ?? {}), [schema])
  const values = useSignal(initial(fields))
  const form = useRef<HTMLFormElement>(null)
  const names = new Set(fields.map(({ key }) => key))
  const others = answering.fields.filter(({ path }) => !names.has(path))

  const toFirstWrong = () =>
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus())
  const submit = async () => {
    const { content, problems } = read(fields, values.value)
    answering.setFields(problems)
    if (problems.length > 0 || !await answering.give({ action: "accept", content })) toFirstWrong()
  }
  const without = (key: string): ReadonlyArray<FieldProblem> => answering.fields.filter(({ path }) => path !== key)

  return (
    <form
      class="stack"
      noValidate
      autocomplete="off"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        if (!answering.isBusy) void submit()
      }}
    >
      {fields.length === 0 ? <p class="muted">It asks for no details, only whether you agree.</p> : null}
      {fields.map(({ field, isRequired, key }) => (
        <QuestionControl
          key={key}
          field={field}
          label={field.title ?? key}
          isRequired={isRequired}
          draft={values.value.get(key) ?? { is: "unset" }}
          wrong={about(answering.fields, key)}
          onChange={(draft) => {
            values.value = new Map(values.value).set(key, draft)
            if (answering.fields.length > 0) answering.setFields(without(key))
          }}
        />
      ))}
      {others.map(({ message, path }) => <Notice key={path} tone="bad" isUrgent>{path}: {message}</Notice>)}
      <div class="row">
        <Button kind="primary" type="submit" disabled={answering.isBusy}>
          {answering.isBusy ? <Spinner label="sending" /> : null}
          Send to {server}
        </Button>
        <Button disabled={answering.isBusy} onClick={() => void answering.give({ action: "decline" })}>Decline</Button>
      </div>
    </form>
  )
}
