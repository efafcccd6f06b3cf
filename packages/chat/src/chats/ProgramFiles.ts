/** The programs of a chat that wait for a person, as files of the chat: they are deleted with it. */
import * as Effect from "effect/Effect"
import { fileOf, type KeptPrograms } from "../programs/TurnPrograms.ts"
import type { ChatSession } from "./ChatSession.ts"
import * as PartWriter from "./PartWriter.ts"

/** Those of this chat. */
export const of = (session: ChatSession): KeptPrograms => {
  const { id, store } = session
  return {
    keep: (call, snapshot) =>
      Effect.catch(
        store.putFile(id, fileOf(call), snapshot),
        ({ message }) => Effect.logWarning(`a program that waits for a person would not survive a restart: ${message}`)
      ),
    of: (call) =>
      Effect.catch(
        store.file(id, fileOf(call)),
        ({ message }) => Effect.as(Effect.logWarning(`a program cannot go on where it was: ${message}`), null)
      ),
    drop: (call) =>
      Effect.suspend(() =>
        isElsewhere(session)
          ? Effect.void
          // A snapshot that stays there would be run again.
          : Effect.catch(store.removeFile(id, fileOf(call)), (error) => PartWriter.breakOff(session, error))
      )
  }
}

/** The turn goes on after the next start, or the chat is gone. */
const isElsewhere = ({ state: { broken, phase } }: ChatSession): boolean =>
  broken !== null || phase === "suspended" || phase === "removed"
