/** Errors before and outside a turn. Inside a turn an error is an `error` part. */
import * as Schema from "effect/Schema"

/** No chat has this id. */
export class UnknownChat extends Schema.TaggedError<UnknownChat>()("UnknownChat", { id: Schema.String }) {
  override get message(): string {
    return `no chat has the id ${this.id}`
  }
  readonly hint: string = "boocode chats list shows the chats there are; boocode chat MESSAGE begins one"
}

/** Too many messages of a chat wait for their turn. */
export class QueueFull extends Schema.TaggedError<QueueFull>()("QueueFull", {
  id: Schema.String,
  limit: Schema.Int
}) {
  override get message(): string {
    return `${this.limit} messages wait in the chat ${this.id} already`
  }
  readonly hint: string = "wait until a turn has ended, or take one of them away"
}

/** No agent of this name can be used. */
export class UnknownAgent extends Schema.TaggedError<UnknownAgent>()("UnknownAgent", {
  name: Schema.String,
  nearest: Schema.Array(Schema.String),
  /** Why an agent of this name that is in the file cannot be used; null when there is none. */
  problem: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return this.problem === null
      ? `no agent is called ${this.name}`
      : `the agent ${this.name} cannot be used: ${this.problem}`
  }
  get hint(): string {
    if (this.problem !== null) return "correct the file at that line"
    return this.nearest.length === 0 ? "list the agents" : `did you mean ${this.nearest.join(", ")}?`
  }
}

/** A message cannot replace a turn while a turn of its chat runs or waits. */
export class TurnRunning extends Schema.TaggedError<TurnRunning>()("TurnRunning", {
  id: Schema.String,
  turn: Schema.Int
}) {
  override get message(): string {
    return `the turn ${this.turn} of the chat ${this.id} has not ended`
  }
  readonly hint: string = "wait until it has ended, or stop it"
}

/** A chat has no such turn, or none that waits. */
export class UnknownTurn extends Schema.TaggedError<UnknownTurn>()("UnknownTurn", {
  id: Schema.String,
  turn: Schema.Int,
  isWaiting: Schema.Boolean
}) {
  override get message(): string {
    return this.isWaiting
      ? `no message of the chat ${this.id} waits as turn ${this.turn}`
      : `the chat ${this.id} has no turn ${this.turn}`
  }
  get hint(): string {
    return this.isWaiting ? "it may have begun: stop it" : "read the chat again"
  }
}

/** A chat has no such note about its older turns. */
export class UnknownSummary extends Schema.TaggedError<UnknownSummary>()("UnknownSummary", {
  id: Schema.String,
  summary: Schema.String
}) {
  override get message(): string {
    return `the chat ${this.id} has no summary ${this.summary}`
  }
  readonly hint: string = "read the chat again: parts of the type summary name theirs"
}

/** A chat has no such attachment. */
export class UnknownFile extends Schema.TaggedError<UnknownFile>()("UnknownFile", {
  id: Schema.String,
  attachment: Schema.String
}) {
  override get message(): string {
    return `the chat ${this.id} has no file ${this.attachment}`
  }
  readonly hint: string = "read the chat again: its turns name their attachments"
}

/** An attachment cannot be sent. */
export class AttachmentRefused extends Schema.TaggedError<AttachmentRefused>()("AttachmentRefused", {
  name: Schema.String,
  /** Its place among the attachments of the message, from 0. */
  index: Schema.Int,
  reason: Schema.Literals(["count", "size", "type"]),
  detail: Schema.String,
  /** The next thing to try; null where the reason says it. */
  advice: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return `${this.name} cannot be attached: ${this.detail}`
  }
  get hint(): string {
    if (this.advice !== null) return this.advice
    if (this.reason === "count") return "send some of them with another message"
    return this.reason === "size" ? "make it smaller" : "convert it to PNG, JPEG, GIF or WebP"
  }
}

/** A server filled in one of its prompts with no text at all. */
export class BlankPrompt extends Schema.TaggedError<BlankPrompt>()("BlankPrompt", {
  server: Schema.String,
  prompt: Schema.String
}) {
  override get message(): string {
    return `${this.server} filled in its prompt ${this.prompt} with blank text`
  }
  readonly hint: string = "give other arguments"
}

/** A message begins with a slash and a word that names no prompt, and no tool of the agent. No model was asked. */
export class UnknownCommand extends Schema.TaggedError<UnknownCommand>()("UnknownCommand", {
  /** Without its slash. */
  word: Schema.String,
  /** The names that may have been meant, without a slash, the closest first. */
  nearest: Schema.Array(Schema.String),
  /** Whether it is a command, which is carried out where it is typed and never sent. */
  isCommand: Schema.Boolean,
  /** The agent that may not use the tool of this name; null when there is no such tool. */
  agent: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    if (this.agent !== null) return `the agent ${this.agent} may not use the tool ${this.word}`
    return this.isCommand ? `/${this.word} is a command, and no message` : `no such command: /${this.word}`
  }
  get hint(): string {
    if (this.agent !== null) return "choose another agent, or allow the tool under tools: of this one"
    if (this.isCommand) return "type it on the page or in boocode chat -i, where it works"
    const meant = this.nearest.map((name) => `/${name}`).join(", ")
    const otherwise = "to say it to the model, put a word before the slash"
    return meant === "" ? otherwise : `did you mean ${meant}? Otherwise, ${otherwise}`
  }
}

/** A title that is blank. */
export class BlankTitle extends Schema.TaggedError<BlankTitle>()("BlankTitle", {}) {
  override get message(): string {
    return "a title cannot be blank"
  }
  readonly hint: string = "leave the title out to keep the one there is"
}
