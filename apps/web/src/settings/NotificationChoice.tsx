/** The switch for notifications. Nothing else in the page asks the browser for them; `setNotes` does it. */
import { useEffect } from "preact/hooks"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { canNotify, lookAtNotes, notes, setNotes } from "../state/Attention.ts"
import { tellError } from "../state/Loading.ts"

export const NotificationChoice = () => {
  useEffect(lookAtNotes, [])
  if (!canNotify) return <p class="muted">{texts.noNotes}</p>
  return (
    <>
      <label class="row setting-notes">
        <input
          type="checkbox"
          checked={notes.value === "on"}
          disabled={notes.value === "refused"}
          onChange={({ currentTarget }) => void setNotes(currentTarget.checked).catch(tellError)}
        />
        {texts.notes}
      </label>
      {notes.value === "refused" ? <p class="muted">{texts.notesRefused}</p> : null}
    </>
  )
}
