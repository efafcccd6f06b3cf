/** A list to choose from, by group. A field keeps the focus and names the marked option by its id. */
import { useEffect, useRef } from "preact/hooks"
import { Icon } from "../Icon.tsx"

export interface Option {
  readonly key: string
  readonly text: string
  /** Options of one group stand together. Empty is a group without a heading. */
  readonly group: string
  /** Beside the text, in second ink. */
  readonly about?: string
  /** At the end of the line. */
  readonly meta?: string
  readonly isChosen?: boolean
}

interface OptionListProps<A extends Option> {
  readonly id: string
  readonly label: string
  readonly options: ReadonlyArray<A>
  readonly marked: number
  readonly onMark: (index: number) => void
  readonly onChoose: (option: A) => void
}

export const optionId = (list: string, index: number) => `${list}-${index}`

export function OptionList<A extends Option>({ id, label, marked, onChoose, onMark, options }: OptionListProps<A>) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" })
  }, [marked])
  const groups = Map.groupBy(options.map((option, index) => ({ option, index })), ({ option }) => option.group)
  return (
    <div class="options" id={id} role="listbox" aria-label={label} tabIndex={0} ref={list}>
      {[...groups].map(([group, inside]) => (
        <div key={group} role="group" {...(group === "" ? {} : { "aria-label": group })}>
          {group === "" ? null : <div class="option-group" aria-hidden="true">{group}</div>}
          {inside.map(({ index, option }) => (
            <div
              key={option.key}
              id={optionId(id, index)}
              class="option"
              role="option"
              aria-selected={index === marked}
              onPointerMove={() => index === marked || onMark(index)}
              // Before the field would lose the focus.
              onMouseDown={(event) => {
                event.preventDefault()
                onChoose(option)
              }}
            >
              <span class="option-text">{option.text}</span>
              {option.about === undefined ? null : <span class="option-about">{option.about}</span>}
              {option.meta === undefined ? null : <span class="option-meta">{option.meta}</span>}
              {option.isChosen === true ? <Icon name="check" /> : null}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}
