/** The write mode of a chat, in its head: whether tools can write, until when, and changing it. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { ChatWrite } from "../../api/Types.ts"
import { writeMode as words } from "../../messages/ChatMessages.ts"
import { minute } from "../../messages/Numbers.ts"
import { fileMode } from "../../state/Catalog.ts"
import { Button } from "../../ui/Button.tsx"
import { lazy } from "../../ui/Lazy.tsx"
import { useElsewhere } from "../../ui/lists/Popover.ts"
import { heldAt } from "./WriteEnds.ts"

interface WriteModeButtonProps {
  /** Null before the first message. */
  readonly chat: string | null
  readonly value: ChatWrite | null
  readonly onChange: (write: ChatWrite | null) => void
}

const WriteModeChoice = lazy(() => import("./WriteModeChoice.tsx").then(({ WriteModeChoice: one }) => one), null)
const WritesDialog = lazy(() => import("./WritesDialog.tsx").then(({ WritesDialog: one }) => one), null)

/** Later than this browsers forget what they were to do. */
const FAR = 2_000_000_000

/** The person's choice, and null once that ends. */
const useHeld = (value: ChatWrite | null): ChatWrite | null => {
  const [now, setNow] = useState(() => Date.now())
  const until = value?.until ?? null
  useEffect(() => {
    setNow(Date.now())
    if (until === null) return undefined
    const timer = setTimeout(() => setNow(Date.now()), Math.min(FAR, Math.max(0, Date.parse(until) - Date.now()) + 50))
    return () => clearTimeout(timer)
  }, [until])
  return heldAt(value, now)
}

export const WriteModeButton = ({ chat, onChange, value }: WriteModeButtonProps) => {
  const held = useHeld(value)
  const mode = held?.mode ?? fileMode.value
  const [isOpen, setOpen] = useState(false)
  const [isJournal, setJournal] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const side = useElsewhere(box, isOpen, () => setOpen(false))
  const close = () => {
    setOpen(false)
    opener.current?.focus()
  }
  const until = held?.until ?? null
  return (
    <div
      class="write-mode"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return
        event.preventDefault()
        event.stopPropagation()
        close()
      }}
    >
      <Button
        ref={opener}
        kind="plain"
        isSmall
        class={mode}
        icon="edit"
        title={words.about[mode]}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span>
          <span class="visually-hidden">{words.label}:{" "}</span>
          {words.modes[mode]}
          {until === null ? null : <span class="write-until">{words.until(minute(until))}</span>}
        </span>
      </Button>
      {isOpen
        ? (
          <WriteModeChoice
            side={side}
            held={held}
            onChange={onChange}
            onJournal={chat === null ? null : () => {
              setOpen(false)
              setJournal(true)
            }}
          />
        )
        : null}
      {isJournal && chat !== null
        ? (
          <WritesDialog
            chat={chat}
            onClose={() => {
              setJournal(false)
              opener.current?.focus()
            }}
          />
        )
        : null}
    </div>
  )
}
