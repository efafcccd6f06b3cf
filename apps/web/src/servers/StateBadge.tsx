/** The state of a server: a coloured dot and the word. */
import type { ServerStatus } from "../api/Types.ts"
import { shown } from "./StateWords.ts"

export const StateBadge = ({ status }: { readonly status: ServerStatus }) => {
  const { tone, words } = shown(status)
  return (
    <span class={`server-state ${tone}`}>
      <span class={`dot ${tone}`} aria-hidden="true" />
      {words}
    </span>
  )
}
