/** Why an answer to a server's question is refused. */
import * as Schema from "effect/Schema"

/** No question has this id. */
export class UnknownQuestion extends Schema.TaggedError<UnknownQuestion>()("UnknownQuestion", { id: Schema.String }) {
  override get message(): string {
    return `no server asks under the id ${this.id}`
  }
  readonly hint: string = "take the id of a question part; GET /api/questions lists what waits"
}

/** The question has an answer already, or its call is over. */
export class QuestionClosed extends Schema.TaggedError<QuestionClosed>()("QuestionClosed", {
  id: Schema.String,
  /** How it ended. */
  action: Schema.Literals(["accept", "decline", "cancel", "expired"])
}) {
  override get message(): string {
    switch (this.action) {
      case "accept":
      case "decline":
        return `it was answered already: ${this.action}`
      case "cancel":
        return "it was cancelled, or the call that asked is over"
      case "expired":
        return "nobody answered in time, and the call went on without"
    }
  }
  readonly hint: string = "look at what became of the call"
}

/** The answer does not fit the form. */
export class UnusableAnswer extends Schema.TaggedError<UnusableAnswer>()("UnusableAnswer", {
  /** Which fields, and what is wrong with each. */
  problems: Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))
}) {
  override get message(): string {
    return `the answer does not fit: ${this.problems.map(({ field, message }) => `${field}: ${message}`).join("; ")}`
  }
  readonly hint: string = "correct these fields; the question still waits"
}

/** Why an answer is not taken. */
export type ReplyRefused = UnknownQuestion | QuestionClosed | UnusableAnswer
