/** The controls of an object: one for each property, and rows for keys beside them. */
import { forms as texts } from "../../messages/FormsMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { below, type FieldProblem } from "../FieldProblem.ts"
import { ANYTHING, type Draft, type Extra, initial, UNSET } from "../FormDraft.ts"
import type { ObjectField } from "../FormField.ts"
import { about } from "../ServerProblems.ts"
import type { Inner, Manner, OuterProps } from "./ControlProps.ts"
import { Group } from "./Group.tsx"
import { Ways } from "./Ways.tsx"

export const ObjectControl = (props: OuterProps<ObjectField>) => {
  const { draft, field, isRequired, label, onChange, path, problems } = props
  return (
    <Group
      label={label}
      field={field}
      isRequired={isRequired}
      wrong={about(problems, path)}
      ways={
        <>
          {draft.is === "unset"
            ? (
              <Button
                isSmall
                icon="plus"
                aria-label={texts.fillInOf(label)}
                onClick={() => onChange(initial(field, true))}
              >
                {texts.fillIn}
              </Button>
            )
            : null}
          <Ways draft={draft} field={field} isRequired={isRequired} label={label} onChange={onChange} />
        </>
      }
    >
      {draft.is === "null" ? <p class="muted">{texts.nullSent}</p> : null}
      {draft.is === "object"
        ? <ObjectBody {...props} draft={draft} />
        : null}
    </Group>
  )
}

export interface ObjectBodyProps {
  readonly Inner: Inner
  readonly field: ObjectField
  readonly draft: Draft
  readonly path: string
  readonly problems: ReadonlyArray<FieldProblem>
  readonly manner?: Manner
  readonly noun?: string
  readonly onChange: (draft: Draft) => void
}

export const ObjectBody = (props: ObjectBodyProps) => {
  const { draft, field, Inner, manner = "exact", noun = "key", onChange, path, problems } = props
  if (draft.is !== "object") return null
  const set = (key: string, inside: Draft) => onChange({ ...draft, fields: new Map(draft.fields).set(key, inside) })
  const { extra } = draft
  return (
    <div class="group-body">
      {field.properties().map((property) => (
        <Inner
          key={property.key}
          field={property.field}
          draft={draft.fields.get(property.key) ?? UNSET}
          isRequired={property.isRequired}
          label={manner === "titled" ? property.field.title ?? property.key : property.key}
          path={below(path, property.key)}
          problems={problems}
          manner={manner}
          onChange={(inside) => set(property.key, inside)}
        />
      ))}
      {extra.map((one, index) => (
        <ExtraRow
          Inner={Inner}
          key={index}
          field={field}
          extra={one}
          path={path}
          problems={problems}
          manner={manner}
          onChange={(next) => onChange({ ...draft, extra: extra.with(index, next) })}
          onRemove={() => onChange({ ...draft, extra: extra.toSpliced(index, 1) })}
        />
      ))}
      {field.extra === null ? null : (
        <div class="row">
          <Button
            isSmall
            icon="plus"
            onClick={() =>
              onChange({ ...draft, extra: [...extra, { key: "", draft: initial(field.extra?.() ?? ANYTHING, true) }] })}
          >
            {texts.addA(noun)}
          </Button>
        </div>
      )}
    </div>
  )
}

interface ExtraRowProps {
  readonly Inner: Inner
  readonly field: ObjectField
  readonly extra: Extra
  readonly path: string
  readonly problems: ReadonlyArray<FieldProblem>
  readonly manner: Manner
  readonly onChange: (extra: Extra) => void
  readonly onRemove: () => void
}

const ExtraRow = ({ extra, field, Inner, manner, onChange, onRemove, path, problems }: ExtraRowProps) => (
  <div class="extra">
    <input
      class="input mono extra-key"
      aria-label={texts.key}
      placeholder={texts.keyHint}
      value={extra.key}
      onInput={(event) => onChange({ ...extra, key: event.currentTarget.value })}
    />
    <Inner
      field={field.extra?.() ?? ANYTHING}
      draft={extra.draft}
      isRequired
      label={extra.key === "" ? texts.value : extra.key}
      path={below(path, extra.key)}
      problems={problems}
      manner={manner}
      onChange={(draft) => onChange({ ...extra, draft })}
    />
    <Button
      kind="plain"
      isSmall
      icon="close"
      label={texts.remove(extra.key === "" ? texts.thisKey : extra.key)}
      onClick={onRemove}
    />
  </div>
)
