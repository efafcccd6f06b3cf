/** The arguments of a tool, as a form or as JSON. */
import { Properties } from "../forms/controls/Control.tsx"
import { about } from "../forms/ServerProblems.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"
import { Button } from "../ui/Button.tsx"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { Segments } from "../ui/forms/Segments.tsx"
import { Notice } from "../ui/Notice.tsx"
import type { ArgumentsDraft } from "./ArgumentsDraft.ts"
import "./tools.css"

const MODES = [["form", texts.form], ["json", "JSON"]] as const

export const ArgumentsEditor = ({ args }: { readonly args: ArgumentsDraft }) => {
  const isForm = args.mode.value === "form"
  const whole = about(args.problems.value, "")
  const isEmpty = args.form.properties().length === 0 && args.form.extra === null
  const draft = args.draft.value
  return (
    <section aria-label={texts.arguments} class="stack">
      <div class="run-head">
        <h3 class="section-heading">{texts.arguments}</h3>
        <Segments
          label={texts.wayOfWriting}
          options={MODES}
          value={args.mode.value}
          onChange={(mode) => mode === "form" ? args.toForm() : args.toText()}
        />
        <Button kind="plain" isSmall onClick={() => args.reset()}>{texts.startOver}</Button>
      </div>
      {whole === null ? null : <Notice tone="bad" isUrgent>{whole}</Notice>}
      {!isForm
        ? (
          <LabelledField label={texts.asJson} wrong={args.textProblem.value}>
            {(props) => (
              <textarea
                {...props}
                class="input mono json-editor"
                rows={8}
                spellcheck={false}
                value={args.text.value}
                onInput={(event) => args.type(event.currentTarget.value)}
              />
            )}
          </LabelledField>
        )
        : isEmpty && draft.is === "object" && draft.extra.length === 0
        ? <p class="muted">{texts.noArguments}</p>
        : (
          <Properties
            field={args.form}
            draft={draft}
            path=""
            problems={args.problems.value}
            onChange={(next) => args.change(next)}
          />
        )}
    </section>
  )
}
