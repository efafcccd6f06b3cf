/** Which writes were undone. No part of a turn tells of it, so it is asked for once for each chat. */
import { signal } from "@preact/signals"
import { listWrites, undoWrite } from "../../api/Api.ts"
import { Problem } from "../../api/Client.ts"
import { getJson } from "../../state/Loading.ts"

/** By the ids of the writes. */
export const undone = signal<ReadonlySet<string>>(new Set())

const mark = (ids: ReadonlyArray<string>) => {
  if (ids.length > 0) undone.value = new Set([...undone.value, ...ids])
}

const asked = new Set<string>()

/** To be called where a write of a chat is shown. */
export const learnUndone = (chat: string) => {
  if (asked.has(chat)) return
  asked.add(chat)
  void getJson(
    listWrites(chat),
    ({ writes }) => mark(writes.filter(({ undo }) => undo.undoneAt !== null).map(({ id }) => id))
  )
}

/** Undoes a write. Somebody may have been quicker. */
export const undo = async (chat: string, id: string): Promise<void> => {
  await undoWrite(chat, id).catch((error) => {
    if (!(error instanceof Problem && error.state === "undone")) throw error
  })
  mark([id])
}
