/** The draft of a message for each chat: its text is kept in this browser, attachments while the page is open. */
import { type Signal, signal } from "@preact/signals"
import { inOneLine, Problem } from "../../api/Client.ts"
import type { NewAttachment, PromptMessage } from "../../api/Types.ts"
import { files as words } from "../../messages/ChatMessages.ts"
import { keepDraft } from "../../state/offline/KeptDrafts.ts"

export interface DraftFile {
  readonly key: number
  readonly name: string
  /** Its kind and size, in words. */
  readonly about: string
  readonly bytes: number
  /** A picture to show; null for everything else. */
  readonly preview: string | null
  /** The long text that was pasted and became this; it can be put back. */
  readonly pasted: string | null
  /** Why the server did not take it. */
  readonly refused: string | null
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
  /** The word after a slash that names nothing, as the server said it, until the text changes. */
  readonly unknown: Signal<UnknownWord | null>
}

interface UnknownWord {
  readonly message: string
  /** Names that may be meant, without a slash. */
  readonly nearest: ReadonlyArray<string>
}

const drafts = new Map<string, Draft>()

/** The draft of a chat; null is the one that is not there yet. */
export const draftOf = (chat: string | null): Draft => {
  const key = chat ?? ""
  const known = drafts.get(key)
  if (known !== undefined) return known
  const made: Draft = {
    text: signal(""),
    prompt: signal<ReadonlyArray<PromptMessage>>([]),
    files: signal<ReadonlyArray<DraftFile>>([]),
    unattached: signal<ReadonlyArray<Unattached>>([]),
    unknown: signal<UnknownWord | null>(null)
  }
  drafts.set(key, made)
  keepDraft(key, made.text)
  return made
}

let last = 0

export type NewFile = Omit<DraftFile, "key" | "pasted" | "refused"> & { readonly pasted?: string }

export const attach = (draft: Draft, file: NewFile) => {
  draft.files.value = [...draft.files.value, { pasted: null, refused: null, ...file, key: last += 1 }]
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
  draft.unknown.value = null
}

/** The content that was taken out of a draft to be sent. */
interface Written {
  readonly text: string
  readonly files: ReadonlyArray<DraftFile>
  readonly prompt: ReadonlyArray<PromptMessage>
}

/**
 * Puts what was not sent back into the draft, unless something else was written there since. Gives false when the draft
 * has no place for the reason.
 */
export const giveBack = (draft: Draft, { files, prompt, text }: Written, error: unknown): boolean => {
  if (draft.text.value === "") {
    draft.text.value = text
    draft.prompt.value = prompt
  }
  if (draft.files.value.length === 0) draft.files.value = files
  if (!(error instanceof Problem)) return false
  const { attachment, message, nearest, status } = error
  // A proxy, and a limit of the whole message, name no attachment: the largest is the one to leave out.
  const largest = files.toSorted((one, other) => other.bytes - one.bytes)[0]
  const file = attachment !== null ? files[attachment] : status === 413 ? largest : undefined
  if (file !== undefined) {
    const { key, name } = file
    const refused = attachment === null ? words.notLetThrough(name) : inOneLine(error)
    draft.files.value = draft.files.value.map((file) => file.key === key ? { ...file, refused } : file)
    return true
  }
  if (status !== 400 || nearest === null) return false
  draft.unknown.value = { message, nearest }
  return true
}
