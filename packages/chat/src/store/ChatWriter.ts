/**
 * Who writes: several programs may use one database, but each chat has one writer at a time.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** A program that keeps chats. @category models */
export interface ChatWriter {
  /** This one's name and no other's. */
  readonly id: string
  /** Whether another program of that name still runs. Answers at once, and yes when in doubt. */
  readonly isAlive: (id: string) => Effect.Effect<boolean>
  /** Whether this program goes on with what a killed one left behind. */
  readonly recovers: boolean
}

/** Who writes here; alone, unless an app says otherwise. @category references */
export const ChatWriter = Context.Reference<ChatWriter>("chat/ChatWriter", {
  defaultValue: () => ({ id: "alone", isAlive: () => Effect.succeed(false), recovers: true })
})
