/** One setting: its name in words, what it decides, what holds, and changing it. */
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
import { LimitsSetting } from "./LimitsSetting.tsx"
import { ModelSetting } from "./ModelSetting.tsx"
import { PartsSetting } from "./PartsSetting.tsx"
import {
  Choice,
  type EditorProps,
  Lines,
  NumberInput,
  SearchInput,
  Secret,
  Switch,
  TextInput
} from "./SettingControls.tsx"
import { current, editing, inWords, wordsOf } from "./SettingEditing.ts"
import { changeSettings } from "./SettingsClient.ts"

interface SettingRowProps {
  readonly setting: Setting
  readonly onChanged: (settings: Settings) => void
}

export const SettingRow = ({ onChanged, setting }: SettingRowProps) => {
  const { isBusy, refused, run } = useAttempt()
  const id = useId()
  const words = wordsOf(setting)
  const save = (value: Json) => void run(() => changeSettings({ [setting.key]: value }).then(onChanged))
  const { editable, key, restart, secret, value, written } = setting
  const editor = <Editor setting={setting} words={words} isBusy={isBusy.value} labelledBy={id} onSave={save} />
  const isSwitch = editable && editing(setting).is === "switch"
  return (
    <section class="setting" aria-labelledby={id}>
      <div class="setting-head">
        <h3 id={id}>{words.name}</h3>
        {restart ? <Badge tone="warn">{texts.afterRestart}</Badge> : null}
        {written === null || !editable ? null : (
          <Button
            kind="plain"
            isSmall
            disabled={isBusy.value}
            aria-label={texts.resetOf(words.name)}
            onClick={() => save(null)}
          >
            {texts.reset}
          </Button>
        )}
        {isSwitch ? editor : null}
      </div>
      <p class="muted">
        {words.about} <code class="setting-key" title={texts.keyOf(key)}>{key}</code>
      </p>
      {restart && !secret ? <p class="muted">{texts.untilThen(inWords(value, words))}</p> : null}
      {isSwitch ?
        null :
        editable ?
        editor :
        <p>{secret ? texts.fileOnly : texts.valueFileOnly(inWords(current(setting), words))}</p>}
      <Refused why={refused.value} />
    </section>
  )
}

const Editor = (props: EditorProps) => {
  const { isBusy, onSave, setting, words } = props
  const how = editing(setting)
  const value = current(setting)
  switch (how.is) {
    case "secret":
      return <Secret {...props} />
    case "switch":
      return <Switch {...props} />
    case "lines":
      return <Lines {...props} inside={how.inside} />
    case "number":
      return <NumberInput {...props} isOptional={how.isOptional} />
    case "text":
      return <TextInput {...props} isOptional={how.isOptional} />
    case "search":
      return <SearchInput {...props} options={how.options} />
    case "options":
      return <Choice {...props} options={how.options} value={value} onChoose={onSave} />
    case "model":
      return <ModelSetting value={typeof value === "string" ? value : null} onSave={onSave} />
    case "limits":
      return <LimitsSetting value={value} isBusy={isBusy} onSave={onSave} />
    case "parts":
      return <PartsSetting name={words.name} parts={how.parts} value={value} isBusy={isBusy} onSave={onSave} />
    case "form":
      return <Form {...props} field={how.field} />
  }
}

const Form = ({ field, isBusy, onSave, setting, words }: EditorProps & { readonly field: Field }) => {
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
        ? <Properties field={field} noun={setting.key.replace(/s$/, "")} manner="titled" {...shared} />
        : <Control field={field} isRequired label={words.name} manner="exact" {...shared} />}
      {JSON.stringify(made.value) === before ?
        null :
        <Button type="submit" isSmall kind="primary" disabled={isBusy}>{texts.save}</Button>}
    </form>
  )
}
