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
  /** The hits of the search, in `about` or else in the text: from the first character up to the one after the last. */
  readonly marks?: ReadonlyArray<readonly [number, number]>
  /** At the end of the line. */
  readonly meta?: string
  /** The keys that do it without the list: `Ctrl K`. */
  readonly keys?: string
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

const withMarks = (text: string, marks: Option["marks"] = []) => [
  ...marks.map(([from, to], at) => [
    text.slice(marks[at - 1]?.[1] ?? 0, from),
    <mark key={from}>{text.slice(from, to)}</mark>
  ]),
  text.slice(marks.at(-1)?.[1] ?? 0)
]

const Words = ({ option: { about, keys, marks, meta, text } }: { readonly option: Option }) => (
  <>
    <span class="option-text" dir="auto">{about === undefined ? withMarks(text, marks) : text}</span>
    {about === undefined ? null : <span class="option-about" dir="auto">{withMarks(about, marks)}</span>}
    {meta === undefined ? null : <span class="option-meta">{meta}</span>}
    {keys === undefined
      ? null
      : <span class="option-meta">{keys.split(" ").map((key) => <kbd key={key}>{key}</kbd>)}</span>}
  </>
)

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
              class={option.marks === undefined || option.about === undefined ? "option" : "option found"}
              role="option"
              aria-selected={index === marked}
              onPointerMove={() => index === marked || onMark(index)}
              // Before the field would lose the focus.
              onMouseDown={(event) => {
                event.preventDefault()
                onChoose(option)
              }}
            >
              <Words option={option} />
              {option.isChosen === true ? <Icon name="check" /> : null}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}
