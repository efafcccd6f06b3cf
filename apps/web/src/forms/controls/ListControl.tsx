/** The controls of a list: one for each item, to add and to remove. */
import { forms as texts } from "../../messages/FormsMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { type Draft, initial, UNSET } from "../FormDraft.ts"
import type { ListField } from "../FormField.ts"
import { about } from "../ServerProblems.ts"
import type { OuterProps } from "./ControlProps.ts"
import { Group } from "./Group.tsx"
import { Ways } from "./Ways.tsx"

export const ListControl = (props: OuterProps<ListField>) => {
  const { draft, field, Inner, isRequired, label, onChange, path, problems } = props
  const items = draft.is === "list" ? draft.items : []
  const set = (next: ReadonlyArray<Draft>) => onChange({ is: "list", items: next })
  // Without items an optional list is unset; an empty list is sent only if somebody chose that.
  const remove = (index: number) => items.length === 1 && !isRequired ? onChange(UNSET) : set(items.toSpliced(index, 1))
  const isFull = field.maxItems !== null && items.length >= field.maxItems
  return (
    <Group
      label={label}
      field={field}
      isRequired={isRequired}
      wrong={about(problems, path)}
      ways={
        <>
          {draft.is === "unset" && !isRequired
            ? (
              <Button kind="plain" isSmall aria-label={texts.sendEmptyList(label)} onClick={() => set([])}>
                {texts.emptyList}
              </Button>
            )
            : null}
          <Ways draft={draft} field={field} isRequired={isRequired} label={label} onChange={onChange} />
        </>
      }
    >
      {draft.is === "list" && items.length === 0 ? <p class="muted">{texts.emptyListSent}</p> : null}
      {draft.is === "null" ? <p class="muted">{texts.nullSent}</p> : null}
      {items.map((item, index) => (
        <div class="list-item" key={index}>
          <Inner
            field={field.item()}
            draft={item}
            isRequired
            label={`${label} ${index + 1}`}
            path={`${path}[${index}]`}
            problems={problems}
            manner="exact"
            onChange={(next) => set(items.with(index, next))}
          />
          <Button
            kind="plain"
            isSmall
            icon="close"
            label={texts.removeNth(label, index + 1)}
            onClick={() => remove(index)}
          />
        </div>
      ))}
      {isFull ? null : (
        <div class="row">
          <Button
            isSmall
            icon="plus"
            aria-label={texts.addTo(label)}
            onClick={() => set([...items, initial(field.item(), true)])}
          >
            {texts.add}
          </Button>
        </div>
      )}
    </Group>
  )
}
