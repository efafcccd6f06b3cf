/** The number of a footnote in a text, which leads to it. The address of the page stays: it says which chat is shown. */
import { turn as words } from "../../messages/ChatMessages.ts"

const lead = (from: HTMLElement, label: string) => {
  const notes = from.closest(".markdown")?.querySelectorAll<HTMLElement>("[data-note]") ?? []
  const note = Array.from(notes).find(({ dataset }) => dataset["note"] === label)
  note?.scrollIntoView({ block: "nearest" })
  note?.focus({ preventScroll: true })
}

export const NoteReference = ({ label }: { readonly label: string }) => (
  // The button lies over the number: a line could break before a button that stands in it.
  <sup class="note-reference">
    <span aria-hidden="true">{label}</span>
    <button
      type="button"
      aria-label={words.toNote(label)}
      onClick={({ currentTarget }) => lead(currentTarget, label)}
    />
  </sup>
)
