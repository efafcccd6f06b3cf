/** One setting: what it decides, what holds, where that comes from, and changing it. */
import { useSignal } from "@preact/signals"
import { useEffect, useId } from "preact/hooks"
import type { Json, Setting, Settings } from "../api/Types.ts"
import { Control, Properties } from "../forms/controls/Control.tsx"
import type { FieldProblem } from "../forms/FieldProblem.ts"
import { type Draft, fromJson, toJson } from "../forms/FormDraft.ts"
import type { Field } from "../forms/FormField.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { ModelSetting } from "./ModelSetting.tsx"
import { current, editing, examplesOf, inWords, linesOf } from "./SettingEditing.ts"
import { changeSettings } from "./SettingsClient.ts"

interface SettingRowProps {
  readonly setting: Setting
  readonly onChanged: (settings: Settings) => void
}

export const SettingRow = ({ onChanged, setting }: SettingRowProps) => {
  const { isBusy, refused, run } = useAttempt()
  const id = useId()
  const save = (value: Json) => run(() => changeSettings({ [setting.key]: value }).then(onChanged))
  return (
    <section class="setting" aria-labelledby={id}>
      <div class="setting-head">
        <h3 id={id}>{setting.key}</h3>
        <Badge>{setting.written === null ? "default" : texts.fromSettingsJson}</Badge>
        {setting.restart ? <Badge tone="warn">{texts.afterRestart}</Badge> : null}
        {setting.written === null || !setting.editable ? null : (
          <Button
            kind="plain"
            isSmall
            disabled={isBusy.value}
            aria-label={texts.resetOf(setting.key)}
            onClick={() => void save(null)}
          >
            {texts.reset}
          </Button>
        )}
      </div>
      <p class="muted">{sentence(setting.about)}</p>
      {setting.restart && !setting.secret
        ? <p class="muted">{texts.untilThen(inWords(setting.value))}</p>
        : null}
      {!setting.editable
        ? (
          <p>
            {setting.secret
              ? texts.fileOnly
              : texts.valueFileOnly(inWords(current(setting)))}
          </p>
        )
        : <Editor setting={setting} isBusy={isBusy.value} describedBy={id} onSave={(value) => void save(value)} />}
      <Refused why={refused.value} />
    </section>
  )
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

interface EditorProps {
  readonly setting: Setting
  readonly isBusy: boolean
  readonly describedBy: string
  readonly onSave: (value: Json) => void
}

const Editor = (props: EditorProps) => {
  const { describedBy, isBusy, onSave, setting } = props
  const how = editing(setting)
  if (how.is === "secret") return <Secret {...props} />
  if (how.is === "lines") return <Lines {...props} inside={how.inside} />
  if (how.is === "form") return <Form {...props} field={how.field} />
  const value = current(setting)
  if (how.is === "model") return <ModelSetting value={typeof value === "string" ? value : null} onSave={onSave} />
  return (
    <select
      class="input short"
      aria-labelledby={describedBy}
      disabled={isBusy}
      value={JSON.stringify(value)}
      onChange={(event) => onSave(JSON.parse(event.currentTarget.value))}
    >
      {how.options.map((option) => (
        <option key={option.label} value={JSON.stringify(option.value)}>{option.label}</option>
      ))}
    </select>
  )
}

/** A secret is never shown. People can set a new one, which others then need. */
const Secret = ({ describedBy, isBusy, onSave, setting }: EditorProps) => {
  const typed = useSignal("")
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(typed.value)
        typed.value = ""
      }}
    >
      <span>{setting.value === true ? texts.isSet : texts.isNotSet}</span>
      <input
        class="input setting-secret"
        type="password"
        autocomplete="new-password"
        aria-labelledby={describedBy}
        placeholder={texts.aNewOne}
        value={typed.value}
        onInput={(event) => typed.value = event.currentTarget.value}
      />
      <Button type="submit" isSmall disabled={isBusy || typed.value === ""}>{texts.save}</Button>
    </form>
  )
}

const Lines = ({ describedBy, inside, isBusy, onSave, setting }: EditorProps & { readonly inside: string | null }) => {
  const before = linesOf(setting, inside).join("\n")
  const typed = useSignal(before)
  useEffect(() => {
    typed.value = before
  }, [before])
  const lines = typed.value.split("\n").map((line) => line.trim()).filter((line) => line !== "")
  return (
    <form
      class="setting-lines"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(inside === null ? lines : { [inside]: lines })
      }}
    >
      <textarea
        class="input mono"
        rows={Math.max(2, lines.length + 1)}
        spellcheck={false}
        aria-labelledby={describedBy}
        placeholder={texts.oneALine(examplesOf(setting).join(" "))}
        value={typed.value}
        onInput={(event) => typed.value = event.currentTarget.value}
      />
      {lines.join("\n") === before
        ? null
        : <Button type="submit" isSmall kind="primary" disabled={isBusy}>{texts.save}</Button>}
    </form>
  )
}

const Form = ({ field, isBusy, onSave, setting }: EditorProps & { readonly field: Field }) => {
  const before = JSON.stringify(current(setting))
  const draft = useSignal<Draft>(fromJson(field, current(setting)))
  const problems = useSignal<ReadonlyArray<FieldProblem>>([])
  useEffect(() => {
    draft.value = fromJson(field, JSON.parse(before))
  }, [before])
  const made = toJson(field, draft.value, true)
  const change = (next: Draft) => {
    draft.value = next
    problems.value = []
  }
  const save = () => {
    problems.value = made.problems
    if (made.problems.length === 0 && made.value !== undefined) onSave(made.value)
  }
  const shared = { draft: draft.value, path: "", problems: problems.value, onChange: change }
  return (
    <form
      class="setting-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      {field.kind === "object" && draft.value.is === "object"
        ? <Properties field={field} noun={setting.key.replace(/s$/, "")} {...shared} />
        : <Control field={field} isRequired label={setting.key} manner="exact" {...shared} />}
      {JSON.stringify(made.value) === before ?
        null :
        <Button type="submit" isSmall kind="primary" disabled={isBusy}>{texts.save}</Button>}
    </form>
  )
}
