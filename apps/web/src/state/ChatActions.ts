/** The actions of the palette and the keys on the conversation that is shown. */
import { signal } from "@preact/signals"
import { palette } from "./Keys.ts"

interface ChatActions {
  /** The chosen one; null for the usual one. */
  readonly agent: string | null
  readonly model: string | null
  readonly onAgent: (agent: string | null) => void
  readonly onModel: (model: string | null) => void
  /** Null while nothing runs. */
  readonly onStop: (() => void) | null
  /** Null before the first answer. */
  readonly onFork: (() => void) | null
}

/** Null while no conversation is shown. */
export const chatActions = signal<ChatActions | null>(null)

export const chooseBy = (step: "model" | "agent") => {
  if (chatActions.value !== null) palette.value = step
}
