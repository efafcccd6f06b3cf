/** The tidings of the nodes of a fleet about chats, so that nobody waits for the next look at the store. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"

/** Something happened to a chat. */
export const Tiding = Schema.Struct({
  chat: Schema.String,
  /** The person whose list of chats changed; null where the chat has more parts to read. */
  owner: Schema.NullOr(Schema.String)
})
export type Tiding = typeof Tiding.Type

/** The way between the nodes. The store is the truth: what is told here may be lost, told twice or come late. */
export class ChatTidings extends Context.Service<ChatTidings, {
  /** Tells the other nodes soon, and never waits. */
  readonly tell: (tiding: Tiding) => void
  /** The tidings of the others from now on. Never ends. */
  readonly heard: Stream.Stream<Tiding>
}>()("chat/ChatTidings") {}
