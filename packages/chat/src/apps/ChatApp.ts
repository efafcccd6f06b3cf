/** The app of a call in a chat: a `ui://` resource of the server whose tool was called. */
import * as Effect from "effect/Effect"
import type { Chat } from "../model/Chat.ts"
import type { DraftedCall } from "../tools/CallDrafts.ts"
import { UnknownApp } from "./AppError.ts"

export interface ChatApp {
  readonly server: string
  readonly uri: string
  /** The name of the tool that was called, as models know it. */
  readonly name: string
  /** The chat and its agent, by whose rules the app calls. */
  readonly chat: Pick<Chat, "agent" | "id" | "off" | "write">
}

/**
 * Finds the app of a call, also of one that its model still writes. The chat says which server it is of: nobody who asks
 * can choose another.
 */
export const of = (chat: Chat, call: string, draft: DraftedCall | null = null): Effect.Effect<ChatApp, UnknownApp> => {
  if (draft?.app !== undefined && draft.server !== null) {
    return Effect.succeed({ server: draft.server, uri: draft.app, name: draft.name, chat })
  }
  for (const { parts } of chat.turns) {
    for (const part of parts) {
      if (part.type !== "tool-call" || part.id !== call || part.app === undefined || part.server === null) continue
      return Effect.succeed({ server: part.server, uri: part.app, name: part.name, chat })
    }
  }
  return Effect.fail(new UnknownApp({ call }))
}
