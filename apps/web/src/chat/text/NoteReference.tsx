/**
 * The number of a footnote in a text, which leads to it. The address of the page stays: it says which chat is shown. A
 * button would stand on a line of its own where its word ends a line.
 */
import { turn as words } from "../../messages/ChatMessages.ts"

const lead = (from: HTMLElement, label: string) => {
  const notes = from.closest(".markdown")?.querySelectorAll<HTMLElement>("[data-note]") ?? []
  const note = Array.from(notes).find(({ dataset }) => dataset["note"] === label)
  note?.scrollIntoView({ block: "nearest" })
  note?.focus({ preventScroll: true })
}

export const NoteReference = ({ label }: { readonly label: string }) => (
  <sup>
    <a
      class="note-reference"
      href={location.hash}
      aria-label={words.toNote(label)}
      onClick={(event) => {
        event.preventDefault()
        lead(event.currentTarget, label)
      }}
    >
      {label}
    </a>
  </sup>
)
