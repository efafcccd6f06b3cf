/**
 * What can be wrong with a chat before or outside a turn. What goes wrong inside one is an `error` part.
 */
import * as Schema from "effect/Schema"

/** No chat has this id. @category errors */
export class UnknownChat extends Schema.TaggedError<UnknownChat>()("UnknownChat", { id: Schema.String }) {
  /** Names the id. */
  override get message(): string {
    return `no chat has the id ${this.id}`
  }
  /** What to try. */
  get hint(): string {
    return "list the chats, or start a new one"
  }
}

/** Too many messages of a chat wait for their turn. @category errors */
export class QueueFull extends Schema.TaggedError<QueueFull>()("QueueFull", {
  id: Schema.String,
  limit: Schema.Int
}) {
  /** Says how many wait. */
  override get message(): string {
    return `${this.limit} messages wait in the chat ${this.id} already`
  }
  /** What to try. */
  get hint(): string {
    return "wait until a turn has ended, or stop it, which drops the messages that wait"
  }
}

/** No agent of this name can be used. @category errors */
export class UnknownAgent extends Schema.TaggedError<UnknownAgent>()("UnknownAgent", {
  name: Schema.String,
  nearest: Schema.Array(Schema.String),
  /** Why an agent of this name that is in the file cannot be used; null when there is none. */
  problem: Schema.NullOr(Schema.String)
}) {
  /** Names the agent asked for. */
  override get message(): string {
    return this.problem === null
      ? `no agent is called ${this.name}`
      : `the agent ${this.name} cannot be used: ${this.problem}`
  }
  /** What to try. */
  get hint(): string {
    if (this.problem !== null) return "correct the file at that line"
    return this.nearest.length === 0 ? "list the agents" : `did you mean ${this.nearest.join(", ")}?`
  }
}
