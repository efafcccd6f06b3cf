/** A button that opens a short list of actions; arrows move in it, Escape and a click elsewhere close it. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { Button } from "../Button.tsx"
import { Icon, type IconName } from "../Icon.tsx"
import { useElsewhere } from "./Popover.ts"

export interface MenuItem {
  readonly text: string
  readonly icon?: IconName
  readonly isDangerous?: boolean
  /** Another name for a screen reader. */
  readonly label?: string
  /** An address to go to or to download, in place of an action. */
  readonly href?: string
  readonly act?: () => void
}

interface MenuProps {
  readonly label: string
  readonly items: ReadonlyArray<MenuItem>
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

export const Menu = ({ items, label }: MenuProps) => {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const inside = () => [...box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []]

  const side = useElsewhere(box, isOpen, () => setOpen(false))
  // Before the menu is painted: people who type ahead mean the item, and not the button that would close the menu again.
  useLayoutEffect(() => {
    if (isOpen) inside()[0]?.focus()
  }, [isOpen])

  const close = () => {
    setOpen(false)
    opener.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Tab") return setOpen(false)
    const step = STEPS[event.key]
    if (event.key !== "Escape" && step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (step === undefined) return close()
    const all = inside()
    const at = all.findIndex((item) => item === document.activeElement)
    all[(at + step + all.length) % all.length]?.focus()
  }
  const item = ({ act, href, icon: sign, isDangerous, label: name, text }: MenuItem) =>
    href === undefined
      ? (
        <Button
          kind={isDangerous === true ? "danger" : "plain"}
          class="plain"
          isSmall
          role="menuitem"
          {...(sign === undefined ? {} : { icon: sign })}
          {...(name === undefined ? {} : { "aria-label": name })}
          onClick={() => {
            close()
            act?.()
          }}
        >
          {text}
        </Button>
      )
      : (
        <a class="button plain small" role="menuitem" href={href} download="" onClick={() => setOpen(false)}>
          {sign === undefined ? null : <Icon name={sign} />}
          {text}
        </a>
      )
  return (
    <div class="menu" ref={box} onKeyDown={isOpen ? onKeyDown : undefined}>
      <Button
        ref={opener}
        kind="plain"
        isSmall
        icon="more"
        label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen
        ? (
          <ul class={`popover menu-list ${side}`} role="menu" aria-label={label}>
            {items.map((each) => <li role="none" key={each.text}>{item(each)}</li>)}
          </ul>
        )
        : null}
    </div>
  )
}
