/** Choosing whether tools can write in a chat, and until when. */
import type { ChatWrite, WriteMode } from "../../api/Types.ts"
import { writeChoice as words } from "../../messages/PermissionsMessages.ts"
import { fileMode } from "../../state/Catalog.ts"
import { serverList } from "../../state/Live.ts"
import { address } from "../../state/Route.ts"
import { Button } from "../../ui/Button.tsx"
import { focus } from "../../ui/Focus.ts"
import { Segments } from "../../ui/forms/Segments.tsx"
import { type End, endOf, untilOf } from "./WriteEnds.ts"
import "./writes.css"
import "../../ui/panels.css"

interface WriteModeChoiceProps {
  /** Where it opens. */
  readonly side: "up" | "down"
  /** The person's choice for the chat; null for none. */
  readonly held: ChatWrite | null
  readonly onChange: (write: ChatWrite | null) => void
  /** Shows what was written; null before the first message. */
  readonly onJournal: (() => void) | null
}

const MODES: ReadonlyArray<readonly [WriteMode, string]> = [["off", words.off], ["ask", words.ask], [
  "rules",
  words.rules
]]
const ENDS: ReadonlyArray<readonly [End, string]> = [
  ["chat", words.thisChat],
  ["hour", words.anHour],
  ["midnight", words.midnight]
]

/** Servers whose entries have their writing tools ask, where nothing else is chosen for the chat. */
const asking = () => serverList.value.filter(({ writes }) => writes === "ask").map(({ name }) => name)

export const WriteModeChoice = ({ held, onChange, onJournal, side }: WriteModeChoiceProps) => {
  const mode = held?.mode ?? fileMode.value
  const now = new Date()
  const others = held === null && mode === "off" ? asking() : []
  return (
    <div
      class={`popover write-popover write-choice ${side}`}
      role="dialog"
      aria-label={words.label}
      tabIndex={-1}
      ref={focus}
    >
      <strong>{words.label}</strong>
      <Segments
        label={words.label}
        options={MODES}
        value={mode}
        onChange={(next) => onChange({ mode: next, until: held?.until ?? null })}
      />
      <p>{words.about[mode]}</p>
      {others.length === 0 ? null : <p class="muted small">{words.askAnyway(others.join(", "))}</p>}
      {held === null ? <p class="muted small">{words.fromFile}</p> : (
        <>
          <Segments
            label={words.until}
            options={ENDS}
            value={endOf(held, now)}
            onChange={(end) => onChange({ mode: held.mode, until: untilOf(end, now) })}
          />
          <p class="row">
            <Button isSmall onClick={() => onChange(null)}>
              {words.back(words.modes[fileMode.value])}
            </Button>
          </p>
        </>
      )}
      <p class="row write-links">
        {onJournal === null ? null : <Button isSmall onClick={onJournal}>{words.journal}</Button>}
        <a href={address("settings", "permissions")}>{words.permissions}</a>
      </p>
    </div>
  )
}
