/** Why an answer to a call that waits for a person's yes is not taken. */
import * as Schema from "effect/Schema"

/** Nothing of this chat waits, or waited, under this id. */
export class UnknownApproval extends Schema.TaggedError<UnknownApproval>()("UnknownApproval", {
  chat: Schema.String,
  id: Schema.String
}) {
  override get message(): string {
    return `no call of the chat ${this.chat} asks under the id ${this.id}`
  }
  get hint(): string {
    return "take the id of an approval part, or list what waits"
  }
}

/** Somebody was quicker, or the call is over. */
export class ApprovalClosed extends Schema.TaggedError<ApprovalClosed>()("ApprovalClosed", {
  id: Schema.String,
  /** What was answered; null when the call ended without an answer. */
  decision: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return this.decision === null
      ? "the call that asked is over: it was stopped, or its turn has ended"
      : `it was answered already: ${this.decision}`
  }
  get hint(): string {
    return "look at the chat for what became of the call"
  }
}

/** The call of an earlier run of the program is not back yet. */
export class ApprovalNotReady extends Schema.TaggedError<ApprovalNotReady>()("ApprovalNotReady", {
  id: Schema.String
}) {
  override get message(): string {
    return "the chat was interrupted when the program ended, and its turn has not come back yet"
  }
  get hint(): string {
    return "try again in a moment; its servers may still be on their way"
  }
}

/** The arguments that a person wrote cannot be used. */
export class UnusableArguments extends Schema.TaggedError<UnusableArguments>()("UnusableArguments", {
  name: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `${this.name} was not called: ${this.why}`
  }
  get hint(): string {
    return "correct the arguments; the call still waits"
  }
}

/** What is always allowed could not be kept or taken back. */
export class GrantNotKept extends Schema.TaggedError<GrantNotKept>()("GrantNotKept", { why: Schema.String }) {
  override get message(): string {
    return `what is always allowed could not be written down: ${this.why}`
  }
  get hint(): string {
    return "allow it once or for this chat, or see that the file can be written"
  }
}

/** Why an answer is not taken. */
export type AnswerRefused = UnknownApproval | ApprovalClosed | ApprovalNotReady | UnusableArguments | GrantNotKept
