/** Something is on its way; the words are for a screen reader. */
import { ui } from "../messages/UiMessages.ts"

export const Spinner = ({ label }: { readonly label?: string }) => (
  <>
    <span class="spinner" aria-hidden="true" />
    <span class="visually-hidden">{label ?? ui.working}</span>
  </>
)
