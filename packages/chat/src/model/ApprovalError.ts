/** Why an answer to an approval is refused, and why a person's own call is not made. */
import * as Schema from "effect/Schema"

/** No approval of this chat, or of any, has this id. */
export class UnknownApproval extends Schema.TaggedError<UnknownApproval>()("UnknownApproval", {
  chat: Schema.NullOr(Schema.String),
  id: Schema.String
}) {
  override get message(): string {
    return `no call of ${this.chat === null ? "any chat" : `the chat ${this.chat}`} asks under the id ${this.id}`
  }
  readonly hint: string = "take the id of an approval part; GET /api/approvals lists what waits"
}

/** The approval has an answer already, or its call is over. */
export class ApprovalClosed extends Schema.TaggedError<ApprovalClosed>()("ApprovalClosed", {
  id: Schema.String,
  /** The answer; null when the call ended without one. */
  decision: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return this.decision === null
      ? "the call that asked is over: it was stopped, or its turn has ended"
      : `it was answered already: ${this.decision}`
  }
  readonly hint: string = "look at the chat for what became of the call"
}

/** The chat was interrupted by a restart, and its call does not wait again yet. */
export class ApprovalNotReady extends Schema.TaggedError<ApprovalNotReady>()("ApprovalNotReady", {
  id: Schema.String
}) {
  override get message(): string {
    return "the program was restarted, and the turn of this chat is not back yet"
  }
  readonly hint: string = "try again in a moment; its servers may still be connecting"
}

/** The arguments that a person wrote cannot be used. */
export class UnusableArguments extends Schema.TaggedError<UnusableArguments>()("UnusableArguments", {
  name: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `${this.name} was not called: ${this.why}`
  }
  readonly hint: string = "correct the arguments; the call still waits"
}

/** The conditions that a person wrote do not fit the call that is asked about. */
export class UnusableConditions extends Schema.TaggedError<UnusableConditions>()("UnusableConditions", {
  name: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `${this.name} was not called: the conditions do not fit this call, because ${this.why}`
  }
  get hint(): string {
    return "correct the conditions, or allow it once; the call still waits"
  }
}

/** The list of tools that are always allowed could not be written. */
export class GrantNotKept extends Schema.TaggedError<GrantNotKept>()("GrantNotKept", { why: Schema.String }) {
  override get message(): string {
    return `the list of tools that are always allowed could not be written: ${this.why}`
  }
  readonly hint: string = "allow it once or for this chat, or see that the file can be written"
}

/** Why an answer is not taken. */
export type AnswerRefused =
  | UnknownApproval
  | ApprovalClosed
  | ApprovalNotReady
  | UnusableArguments
  | UnusableConditions
  | GrantNotKept

/** A rule, or a hook, denies a person's own call. */
export class CallDenied extends Schema.TaggedError<CallDenied>()("CallDenied", {
  /** The tool's name for models. */
  tool: Schema.String,
  /** Such as `permissions.jsonc:3 says deny files_*`. */
  why: Schema.String
}) {
  override get message(): string {
    return `${this.tool} was not called: ${this.why}`
  }
  get hint(): string {
    return `change that rule if the call is to be made; boocode permissions explain ${this.tool} tells more`
  }
}

/** The tool of a person's own call writes, and nobody said yes to it. */
export class YesNeeded extends Schema.TaggedError<YesNeeded>()("YesNeeded", {
  /** The tool's name for models. */
  tool: Schema.String,
  /** Its class. */
  class: Schema.Literals(["writes", "destroys"])
}) {
  override get message(): string {
    return `${this.tool} ${this.class}, so a call of it needs a person's yes`
  }
  get hint(): string {
    return "say yes at a terminal, with --allow on the command line, or with \"approved\": true over HTTP"
  }
}
