/** Which artifact stands beside which chat. It goes with the page: the chat itself has all of them. */
import { signal } from "@preact/signals"

interface Shown {
  readonly chat: string
  /** An artifact of the thing that is shown. */
  readonly key: string
  /** The version, or null for the newest, also when there is a newer one later. */
  readonly version: number | null
}

export const shownArtifact = signal<Shown | null>(null)

const narrow = matchMedia("(max-width: 64rem)")

/** Whether it covers the chat. */
export const isNarrow = signal(narrow.matches)

narrow.addEventListener("change", ({ matches }) => isNarrow.value = matches)
