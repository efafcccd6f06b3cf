/** What is being written: text and what is attached, kept for each chat while the page is open. */
import { type Signal, signal } from "@preact/signals"
import type { NewAttachment, PromptMessage } from "../../api/Types.ts"

interface DraftFile {
  readonly key: number
  readonly name: string
  /** A picture to show; null for a resource. */
  readonly preview: string | null
  readonly attachment: NewAttachment
}

/** A file that could not be attached. */
interface Unattached {
  readonly key: number
  readonly message: string
}

export interface Draft {
  readonly text: Signal<string>
  /** The messages of the prompt that was filled in last. Models read them with their roles while the text is unchanged. */
  readonly prompt: Signal<ReadonlyArray<PromptMessage>>
  readonly files: Signal<ReadonlyArray<DraftFile>>
  /** Why others were not taken; told beside those that were. */
  readonly unattached: Signal<ReadonlyArray<Unattached>>
}

const drafts = new Map<string, Draft>()

/** The draft of a chat; null is the one that is not there yet. */
export const draftOf = (chat: string | null): Draft => {
  const key = chat ?? ""
  const known = drafts.get(key) ?? {
    text: signal(""),
    prompt: signal<ReadonlyArray<PromptMessage>>([]),
    files: signal<ReadonlyArray<DraftFile>>([]),
    unattached: signal<ReadonlyArray<Unattached>>([])
  }
  drafts.set(key, known)
  return known
}

let last = 0

export const attach = (draft: Draft, file: Omit<DraftFile, "key">) => {
  draft.files.value = [...draft.files.value, { ...file, key: last += 1 }]
}

export const refuse = (draft: Draft, message: string) => {
  draft.unattached.value = [...draft.unattached.value, { key: last += 1, message }]
}

/** Also of one that was not taken. */
export const detach = (draft: Draft, key: number) => {
  draft.files.value = draft.files.value.filter((file) => file.key !== key)
  draft.unattached.value = draft.unattached.value.filter((file) => file.key !== key)
}

export const clear = (draft: Draft) => {
  draft.text.value = ""
  draft.prompt.value = []
  draft.files.value = []
  draft.unattached.value = []
}
