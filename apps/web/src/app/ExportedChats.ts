/** The conversations of an export of ChatGPT or Claude, which the page sends to the server one by one. Loaded when one is chosen. */
import { unzipSync } from "fflate"
import { ask, get, Problem } from "../api/Client.ts"
import type { ChatSummary } from "../api/Types.ts"
import { shell } from "../messages/ShellMessages.ts"

/** ChatGPT splits large exports into several such files. */
const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.json$/

export interface Imported {
  readonly imported: number
  /** Those that had been imported before; they stay as they are. */
  readonly present: number
  /** Those that the server did not take, and why the first of them. */
  readonly refused: number
  readonly why: string | null
}

/** Ends at the first one that the server cannot take now; a conversation that it refuses is left out. */
export const importAll = async (file: File, isZip: boolean): Promise<Imported> => {
  const counts: { -readonly [Key in keyof Imported]: Imported[Key] } = {
    imported: 0,
    present: 0,
    refused: 0,
    why: null
  }
  const { chats } = await get<{ chats: ReadonlyArray<ChatSummary> }>("chats")
  const known = new Set(chats.map(({ id }) => id))
  for (const text of isZip ? textsOf(new Uint8Array(await file.arrayBuffer())) : [await file.text()]) {
    for (const chat of listOf(text)) {
      try {
        const response = await ask("POST", "chats/import", {
          headers: { "content-type": "application/json" },
          body: JSON.stringify(chat)
        })
        const { id }: ChatSummary = await response.json()
        counts[known.has(id) ? "present" : "imported"] += 1
        known.add(id)
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 400) throw error
        counts.refused += 1
        counts.why ??= error.message
      }
    }
  }
  return counts
}

const unusable = () => new Problem(400, { detail: shell.noConversations, hint: shell.whichExport })

const textsOf = (zip: Uint8Array): ReadonlyArray<string> => {
  try {
    const files = Object.values(unzipSync(zip, { filter: ({ name }) => CONVERSATIONS.test(name) }))
    if (files.length > 0) return files.map((bytes) => new TextDecoder().decode(bytes))
  } catch {
    // It is cut off, or packed in a way that browsers do not know.
  }
  throw unusable()
}

const listOf = (text: string): ReadonlyArray<unknown> => {
  try {
    const parsed: unknown = JSON.parse(text)
    if (Array.isArray(parsed)) return parsed
  } catch {
    // As below.
  }
  throw unusable()
}
