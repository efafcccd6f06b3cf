/** A searchable list: words narrow it, arrows move the mark, Enter chooses. As it is, or behind a button. */
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { ui } from "../../messages/UiMessages.ts"
import { Button } from "../Button.tsx"
import { Icon, type IconName } from "../Icon.tsx"
import { type Option, optionId, OptionList } from "./OptionList.tsx"
import { useElsewhere } from "./Popover.ts"

export interface Pickable extends Option {
  /** More words by which it is found. */
  readonly words?: string
}

interface PickerProps<A extends Pickable> {
  readonly label: string
  readonly placeholder?: string
  readonly options: ReadonlyArray<A>
  /** Further choices for the typed text, such as a name that stands in no list. */
  readonly others?: (word: string) => ReadonlyArray<A>
  readonly onWord?: (word: string) => void
  readonly onChoose: (option: A) => void
  readonly onClose: () => void
  /** Below the list. */
  readonly foot?: ComponentChildren
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

const isFound = ({ about, group, text, words }: Pickable, sought: ReadonlyArray<string>): boolean => {
  const all = `${text} ${about ?? ""} ${group} ${words ?? ""}`.toLowerCase()
  return sought.every((word) => all.includes(word))
}

export function Picker<A extends Pickable>(props: PickerProps<A>) {
  const { foot, label, onChoose, onClose, onWord, options, others, placeholder = ui.search } = props
  const [word, setWord] = useState("")
  // By its key: options that come later do not move the mark.
  const [marked, mark] = useState<string | undefined>()
  const list = useId()
  const sought = word.toLowerCase().split(/\s+/).filter((each) => each !== "")
  const shown = [...options.filter((option) => isFound(option, sought)), ...(others?.(word.trim()) ?? [])]
  const first = sought.length === 0 ? Math.max(0, shown.findIndex(({ isChosen }) => isChosen === true)) : 0
  const kept = shown.findIndex(({ key }) => key === marked)
  const at = Math.min(kept < 0 ? first : kept, shown.length - 1)
  const current = shown[at]
  const markAt = (index: number) => mark(shown[index]?.key)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (event.isComposing || step === undefined && event.key !== "Enter" && event.key !== "Escape") return
    event.preventDefault()
    event.stopPropagation()
    if (step !== undefined) markAt((at + step + shown.length) % Math.max(1, shown.length))
    else if (event.key === "Escape") onClose()
    else if (current !== undefined) onChoose(current)
  }
  return (
    <div class="picker-inside">
      <div class="picker-search">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          data-focus=""
          autocomplete="off"
          spellcheck={false}
          aria-label={label}
          aria-autocomplete="list"
          aria-expanded={shown.length > 0}
          aria-controls={list}
          {...(current === undefined ? {} : { "aria-activedescendant": optionId(list, at) })}
          placeholder={placeholder}
          value={word}
          onInput={(event) => {
            setWord(event.currentTarget.value)
            mark(undefined)
            onWord?.(event.currentTarget.value.trim())
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <OptionList id={list} label={label} options={shown} marked={at} onMark={markAt} onChoose={onChoose} />
      {shown.length === 0 ? <p class="picker-note" role="status">{ui.nothingFound}</p> : null}
      {foot}
    </div>
  )
}

interface PickerButtonProps<A extends Pickable> extends Omit<PickerProps<A>, "onClose"> {
  readonly value: string
  /** In the place of `value` where there is little room. */
  readonly short?: { readonly icon: IconName; readonly text: string }
  readonly title?: string
  /** Several can be chosen: it stays open while this says so of what was chosen. */
  readonly staysOpen?: (option: A) => boolean
}

export function PickerButton<A extends Pickable>(
  { onChoose, short, staysOpen, title, value, ...picker }: PickerButtonProps<A>
) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLSpanElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const side = useElsewhere(box, isOpen, () => setOpen(false))
  useLayoutEffect(() => {
    if (isOpen) box.current?.querySelector<HTMLElement>("[data-focus]")?.focus()
  }, [isOpen])
  const close = () => {
    setOpen(false)
    opener.current?.focus()
  }
  return (
    <span class="picker" ref={box}>
      <Button
        ref={opener}
        kind="plain"
        isSmall
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        {...(title === undefined ? {} : { title })}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="visually-hidden">{picker.label}:{" "}</span>
        {short === undefined
          ? <span class="picker-name" dir="auto">{value}</span>
          : (
            <>
              <span class="picker-name wide-only" dir="auto">{value}</span>
              <span class="picker-short">
                <Icon name={short.icon} />
                {short.text}
              </span>
            </>
          )}
        <Icon name="down" />
      </Button>
      {isOpen
        ? (
          <div class={`popover picker-popover ${side}`} role="dialog" aria-label={picker.label}>
            <Picker
              {...picker}
              onClose={close}
              onChoose={(option) => {
                if (staysOpen?.(option) !== true) close()
                onChoose(option)
              }}
            />
          </div>
        )
        : null}
    </span>
  )
}
