/** Why an agent could not be written. Nothing was written then. */
import * as Schema from "effect/Schema"

/** A key of the agent that cannot be as it was given. */
export class AgentRefused extends Schema.TaggedError<AgentRefused>()("AgentRefused", {
  /** `prompt`, or a key of its block. */
  key: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail.startsWith(`${this.key}: `) ? this.detail : `${this.key}: ${this.detail}`
  }
  get hint(): string {
    return `correct ${this.key}; nothing was written`
  }
}

/**
 * The files stand against the change: the name is `taken`, the agent is `built-in`, or its file is left `unchanged`
 * because it cannot be written that way.
 */
export class AgentConflict extends Schema.TaggedError<AgentConflict>()("AgentConflict", {
  state: Schema.Literals(["taken", "built-in", "unchanged"]),
  message: Schema.String,
  hint: Schema.String
}) {}
