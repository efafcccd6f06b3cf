/** A question with a form: its defaults are filled in, and what the server refuses stands at its field. */
import { useSignal } from "@preact/signals"
import { useMemo, useRef } from "preact/hooks"
import type { Question } from "../api/Types.ts"
import { Properties } from "../forms/controls/Control.tsx"
import { below } from "../forms/FieldProblem.ts"
import { toFirstWrong } from "../forms/FirstWrong.ts"
import { type Draft, prefilled, toJson } from "../forms/FormDraft.ts"
import { ofArguments } from "../forms/FormField.ts"
import { isObject } from "../forms/SchemaReading.ts"
import { questions as texts } from "../messages/QuestionsMessages.ts"
import { Button } from "../ui/Button.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import type { AnswerState } from "./AnswerState.ts"

interface FormQuestionProps {
  readonly question: Question
  readonly answering: AnswerState
}

export const FormQuestion = ({ answering, question: { schema, server } }: FormQuestionProps) => {
  const form = useMemo(() => ofArguments(schema ?? {}), [schema])
  const draft = useSignal(prefilled(form))
  const root = useRef<HTMLFormElement>(null)
  const paths = new Set(form.properties().map(({ key }) => below("", key)))
  const others = answering.fields.filter(({ path }) => !paths.has(path))

  const submit = async () => {
    const { problems, value } = toJson(form, draft.value, true)
    answering.setFields(problems)
    const isReady = problems.length === 0 && isObject(value)
    if (!isReady || !await answering.give({ action: "accept", content: value })) toFirstWrong(root.current)
  }
  const change = (next: Draft) => {
    answering.setFields(answering.fields.filter(({ path }) => !isChanged(path, draft.value, next)))
    draft.value = next
  }
  return (
    <form
      class="stack"
      noValidate
      autocomplete="off"
      ref={root}
      onSubmit={(event) => {
        event.preventDefault()
        if (!answering.isBusy) void submit()
      }}
    >
      {paths.size === 0
        ? <p class="muted">{texts.noDetails}</p>
        : (
          <Properties
            field={form}
            draft={draft.value}
            path=""
            problems={answering.fields}
            manner="easy"
            onChange={change}
          />
        )}
      {others.map(({ message, path }) => <Notice key={path} tone="bad" isUrgent>{path}: {message}</Notice>)}
      <div class="row">
        <Button kind="primary" type="submit" disabled={answering.isBusy}>
          {answering.isBusy ? <Spinner label={texts.sending} /> : null}
          {texts.sendTo} {server}
        </Button>
        <Button disabled={answering.isBusy} onClick={() => void answering.give({ action: "decline" })}>
          {texts.decline}
        </Button>
      </div>
    </form>
  )
}

/** The problem of a field is forgotten as it is changed. */
const isChanged = (path: string, before: Draft, after: Draft): boolean =>
  before.is === "object" && after.is === "object" &&
  [...after.fields].some(([key, inside]) => below("", key) === path && inside !== before.fields.get(key))
