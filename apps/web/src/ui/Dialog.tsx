/**
 * A modal dialog while it is rendered: the browser keeps the focus inside, and Escape asks to close it. The element
 * with `data-focus` begins with the focus; `autofocus` would have the browser complain that something else has it.
 */
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { ui } from "../messages/UiMessages.ts"
import { Button } from "./Button.tsx"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly isWide?: boolean
  /** Without a head: the title is for a screen reader. */
  readonly isBare?: boolean
  readonly children: ComponentChildren
}

export const Dialog = ({ children, isBare, isWide, onClose, title }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before it is painted: people who type on mean what opens.
  useLayoutEffect(() => {
    const before = document.activeElement
    const { current } = dialog
    current?.showModal()
    current?.querySelector<HTMLElement>("[data-focus]")?.focus()
    return () => {
      // While it is open nothing outside of it takes the focus.
      current?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={isBare === true ? "dialog bare" : isWide === true ? "dialog wide" : "dialog"}
      {...(isBare === true ? { "aria-label": title } : { "aria-labelledby": id })}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div class="inside">
        {isBare === true ? null : (
          <header>
            <h2 id={id}>{title}</h2>
            <Button kind="plain" isSmall icon="close" label={ui.close} onClick={onClose} />
          </header>
        )}
        {children}
      </div>
    </dialog>
  )
}
