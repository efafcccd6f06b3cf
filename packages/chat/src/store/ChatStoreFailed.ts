/** The one way a store of chats fails. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** What the store could not do. The chats that are there stay as they were. */
export class ChatStoreFailed extends Schema.TaggedError<ChatStoreFailed>()("ChatStoreFailed", {
  /** What was tried, such as `append`. */
  operation: Schema.String,
  /** Why, in the words of the database. */
  why: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return `the chats cannot be kept or read (${this.operation}): ${this.why}`
  }
  get hint(): string {
    return "see that the database is there and its disk is not full, then try again"
  }
}

/** The database cannot be used for chats at all. */
export class ChatStoreUnusable extends Schema.TaggedError<ChatStoreUnusable>()("ChatStoreUnusable", {
  /** Its file, or its address without user and password. */
  database: Schema.String,
  why: Schema.String,
  hint: Schema.String,
  /**
   * True when it can be read or reached by somebody who may write there, or not at all: nothing is wrong with what is
   * in it.
   */
  isOutOfReach: Schema.Boolean,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return `the chats in ${this.database} cannot be used: ${this.why}`
  }
}

/** A program that keeps chats. */
export interface ChatWriter {
  /** This one's name and no other's. */
  readonly id: string
  /** Whether another program of that name still runs. Answers at once, and yes when in doubt. */
  readonly isAlive: (id: string) => Effect.Effect<boolean>
  /** Whether this program goes on with what a killed one left behind. */
  readonly recovers: boolean
}

/** Who writes here; alone, unless an app says otherwise. */
export const ChatWriter = Context.Reference<ChatWriter>("chat/ChatWriter", {
  defaultValue: () => ({ id: "alone", isAlive: () => Effect.succeed(false), recovers: true })
})
