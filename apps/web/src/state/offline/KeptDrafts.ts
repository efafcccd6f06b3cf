/**
 * The texts of drafts, kept in this browser: a page that is loaded again, also without a server, has them. They are of
 * one person, and go when that person signs out or another one comes.
 */
import type { Signal } from "@preact/signals"

const KEY = "boocode.drafts"

/** The oldest go beyond so many, and a longer text is not kept. */
const MOST = 50
const MOST_CHARACTERS = 200_000
const PACE_MILLIS = 300

interface Kept {
  /** The person's id; null while a server that could tell it does not answer. */
  readonly owner: string | null
  /** By chat, the empty name for a chat that is not there yet; the last one changed is the last. */
  readonly texts: Readonly<Record<string, string>>
}

const drafts = new Map<string, Signal<string>>()
/** Undefined until it is known whose they are. */
let owner: string | null | undefined
let texts = new Map<string, string>()
let timer: ReturnType<typeof setTimeout> | undefined

const isKept = (value: unknown): value is Kept =>
  typeof value === "object" && value !== null && "owner" in value && "texts" in value &&
  typeof value.texts === "object" && value.texts !== null &&
  Object.values(value.texts).every((text) => typeof text === "string")

const read = (): Kept | null => {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null")
    return isKept(value) ? value : null
  } catch {
    return null // a browser that keeps nothing for this page, or something else under the name
  }
}

const write = () => {
  clearTimeout(timer)
  timer = undefined
  if (owner === undefined) return
  try {
    const kept: Kept = { owner, texts: Object.fromEntries([...texts].slice(-MOST)) }
    if (texts.size === 0) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, JSON.stringify(kept))
  } catch {
    // The browser keeps nothing, or has no room: drafts live as long as the page then.
  }
}

const changed = (chat: string, text: string) => {
  const before = texts.get(chat)
  if (text === (before ?? "")) return
  texts.delete(chat)
  if (text !== "" && text.length <= MOST_CHARACTERS) texts.set(chat, text)
  timer ??= setTimeout(write, PACE_MILLIS)
}

/** Keeps this text from now on. It gets the one that was kept, if it is empty. */
export const keepDraft = (chat: string, text: Signal<string>): void => {
  drafts.set(chat, text)
  if (owner !== undefined && text.value === "") text.value = texts.get(chat) ?? ""
  text.subscribe((value) => owner === undefined || changed(chat, value))
}

/** It is known whose drafts these are: those of somebody else are forgotten, and the person's own are there again. */
export const draftsAreOf = (person: string | null): void => {
  if (owner === person) return
  const kept = read()
  const isOwn = kept === null || kept.owner === person || kept.owner === null || person === null
  const isFirst = owner === undefined
  owner = person ?? kept?.owner ?? null
  if (isFirst) texts = new Map(isOwn ? Object.entries(kept?.texts ?? {}) : [])
  for (const [chat, text] of drafts) {
    if (text.value === "") text.value = texts.get(chat) ?? ""
    else changed(chat, text.value)
  }
  write()
}

/** Before the page goes what was just typed is kept. */
export const keepOnLeaving = (): void => addEventListener("pagehide", write)

/** Nothing of the person stays in this browser. */
export const forgetDrafts = (): void => {
  texts = new Map()
  for (const text of drafts.values()) text.value = ""
  write()
}
