/** A value that may have one of several forms: the form is chosen first. */
import { forms as texts } from "../../messages/FormsMessages.ts"
import { type Draft, fromJson, initial, toJson, UNSET } from "../FormDraft.ts"
import type { VariantsField } from "../FormField.ts"
import { about } from "../ServerProblems.ts"
import type { OuterProps } from "./ControlProps.ts"
import { Group } from "./Group.tsx"
import { Ways } from "./Ways.tsx"

export const VariantsControl = (props: OuterProps<VariantsField>) => {
  const { draft, field, Inner, isRequired, label, onChange, path, problems } = props
  const variants = field.variants()
  const chosen = draft.is === "variant" ? variants[draft.index] : undefined

  /** Typed values stay where the other form can show them. */
  const choose = (index: number) => {
    const next = variants[index]
    if (next === undefined) return onChange(UNSET)
    const value = chosen === undefined || draft.is !== "variant"
      ? undefined
      : toJson(chosen.field, draft.draft, true).value
    const kept: Draft | null = value === undefined ? null : fromJson(next.field, value)
    onChange({ is: "variant", index, draft: kept === null || kept.is === "json" ? initial(next.field, true) : kept })
  }
  return (
    <Group
      label={label}
      field={field}
      isRequired={isRequired}
      wrong={chosen === undefined ? about(problems, path) : null}
      ways={<Ways draft={draft} field={field} isRequired={isRequired} label={label} onChange={onChange} />}
    >
      {draft.is === "null" ? <p class="muted">{texts.nullSent}</p> : null}
      <select
        class="input"
        aria-label={texts.formOf(label)}
        value={draft.is === "variant" ? String(draft.index) : ""}
        onChange={({ currentTarget: { value } }) => value === "" ? onChange(UNSET) : choose(Number(value))}
      >
        <option value="">{isRequired ? texts.chooseAForm : texts.notSet}</option>
        {variants.map((variant, index) => <option key={index} value={String(index)}>{variant.label}</option>)}
      </select>
      {chosen === undefined || draft.is !== "variant" ? null : (
        <Inner
          field={chosen.field}
          draft={draft.draft}
          isRequired
          label={chosen.field.kind === "object" ? chosen.label : label}
          path={path}
          problems={problems}
          manner="exact"
          onChange={(inside) => onChange({ ...draft, draft: inside })}
        />
      )}
    </Group>
  )
}
