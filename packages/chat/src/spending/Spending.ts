/** The use of models by people, and their limits: asked before each turn and each of its steps, told of each request. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Usage from "../model/Usage.ts"
import type { ChatStoreFailed } from "../store/ChatStore.ts"

/** A person has used what they may of money or of tokens. Nothing that asks a model begins for them. */
export class LimitReached extends Schema.TaggedError<LimitReached>()("LimitReached", {
  of: Schema.Literals(["money", "tokens"]),
  /** Such as `20.13 USD`. */
  used: Schema.String,
  /** As it was written, such as `20 USD a month`. */
  limit: Schema.String,
  /** An ISO time. */
  resets: Schema.String
}) {
  override get message(): string {
    return `you have used ${this.used}, and may use ${this.limit}`
  }
  get hint(): string {
    return `it begins anew at ${
      this.resets.slice(0, 16).replace("T", " ")
    } UTC; an admin can change limits in settings.json`
  }
}

/** As many chats of a person are answered as may be at once. */
export class TurnsAtOnce extends Schema.TaggedError<TurnsAtOnce>()("TurnsAtOnce", {
  running: Schema.Int,
  limit: Schema.Int
}) {
  override get message(): string {
    return `${this.running} of your chats have a turn that has not ended, and ${this.limit} may at once`
  }
  readonly hint: string =
    "wait until one has ended, answer what it waits for, or stop it; an admin can change limits in settings.json"
}

export type OverLimit = LimitReached | TurnsAtOnce

/** The model and the agent that a request is counted under. */
export interface SpentBy {
  readonly model: string
  /** Null for a request of no agent, such as one that a server asks for outside of chats. */
  readonly agent: string | null
}

/** By default nothing is counted, and nobody has limits. */
export class Spending extends Context.Reference<{
  /** Fails when the person has reached a limit. Turns under way go on. */
  readonly check: (owner: string) => Effect.Effect<void, LimitReached | ChatStoreFailed>
  /** How many chats of the person may be answered at once; null for any number. */
  readonly turnsOf: (owner: string) => Effect.Effect<number | null>
  /** Counts what one request to a model used. Never fails: what cannot be kept is told in the log. */
  readonly note: (owner: string, usage: Usage.Usage, by: SpentBy) => Effect.Effect<void>
}>("chat/Spending", {
  defaultValue: () => ({
    check: () => Effect.void,
    turnsOf: () => Effect.succeed(null),
    note: () => Effect.void
  })
}) {}
