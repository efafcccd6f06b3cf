/** The other ways with a value: leave it out, send `null`, take the form for it again. */
import { forms as texts } from "../../messages/FormsMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { type Draft, fromJson, initial, toJson, UNSET } from "../FormDraft.ts"
import type { Field } from "../FormField.ts"
import type { ControlProps } from "./ControlProps.ts"

type WaysProps = Pick<ControlProps, "draft" | "field" | "isRequired" | "label" | "onChange">

export const Ways = ({ draft, field, isRequired, label, onChange }: WaysProps) => {
  const fitting = draft.is === "json" && field.kind !== "json" ? again(field, draft) : null
  return (
    <>
      {draft.is !== "unset" && !isRequired
        ? (
          <Button kind="plain" isSmall aria-label={texts.leaveOutOf(label)} onClick={() => onChange(UNSET)}>
            {texts.leaveOut}
          </Button>
        )
        : null}
      {field.isNullable && draft.is !== "null"
        ? (
          <Button kind="plain" isSmall aria-label={texts.nullFor(label)} onClick={() => onChange({ is: "null" })}>
            {texts.sendNull}
          </Button>
        )
        : null}
      {draft.is === "null" && isRequired
        ? (
          <Button
            kind="plain"
            isSmall
            aria-label={texts.valueFor(label)}
            onClick={() => onChange(initial(field, true))}
          >
            {texts.aValue}
          </Button>
        )
        : null}
      {fitting === null
        ? null
        : (
          <Button kind="plain" isSmall aria-label={texts.useFormFor(label)} onClick={() => onChange(fitting)}>
            {texts.useForm}
          </Button>
        )}
    </>
  )
}

/** The form's draft of what was typed as JSON; an empty one when the form cannot show it. */
const again = (field: Field, draft: Draft): Draft => {
  const { problems, value } = toJson(field, draft, true)
  const shown = problems.length > 0 || value === undefined ? draft : fromJson(field, value)
  return shown.is === "json" ? initial(field, true) : shown
}
