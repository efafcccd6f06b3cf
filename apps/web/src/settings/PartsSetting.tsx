/** A setting that holds several values, each by a name in words. Those left empty are not written. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Json } from "../api/Types.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { Button } from "../ui/Button.tsx"
import { Fold } from "../ui/Fold.tsx"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { partsDraft, partsValue } from "./SettingEditing.ts"
import type { Part } from "./SettingWords.ts"

interface PartsProps {
  readonly name: string
  readonly parts: ReadonlyArray<Part>
  readonly value: Json
  readonly isBusy: boolean
  readonly onSave: (value: Json) => void
}

export const PartsSetting = (props: PartsProps) =>
  props.value === null
    ? <Fold summary={texts.setUp(props.name)} inside={() => <PartsForm {...props} />} />
    : <PartsForm {...props} />

const PartsForm = ({ isBusy, onSave, parts, value }: PartsProps) => {
  const before = JSON.stringify(value)
  const draft = useSignal(partsDraft(parts, value))
  useEffect(() => {
    draft.value = partsDraft(parts, JSON.parse(before))
  }, [before])
  const made = partsValue(parts, value, draft.value)
  return (
    <form
      class="setting-form setting-parts"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(made)
      }}
    >
      {parts.map(({ about, example = "", isList = false, isNeeded = false, key, label }) => {
        const shared = {
          required: isNeeded,
          spellcheck: false,
          placeholder: example,
          value: draft.value[key] ?? "",
          onInput: ({ currentTarget: { value: text } }: { currentTarget: { value: string } }) =>
            draft.value = { ...draft.value, [key]: text }
        }
        return (
          <LabelledField key={key} label={label} about={about}>
            {(bind) =>
              isList
                ? <textarea {...bind} {...shared} class="input" rows={2} />
                : <input {...bind} {...shared} class="input" autocomplete="off" />}
          </LabelledField>
        )
      })}
      {JSON.stringify(made) === before
        ? null
        : <Button type="submit" isSmall kind="primary" disabled={isBusy}>{texts.save}</Button>}
    </form>
  )
}
