/** One chat as `chat` leads it, whether its turns run in this command or in a server that was there before it. */
import type { Part } from "@boocode/chat"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Failed } from "./Failure.ts"

/** Whom a chat is with; null leaves it to agents, settings and environment. */
export interface Partner {
  readonly agent: string | null
  readonly model: string | null
}

export interface Saying {
  /** Its parts as they come, up to `finish`. Not listening any more ends nothing: the turn goes on. */
  readonly parts: Stream.Stream<Part, Failed>
  /** Those with a `seq` above this one, up to `finish`. */
  readonly after: (seq: number) => Stream.Stream<Part, Failed>
}

export class Conversation extends Context.Service<Conversation, {
  /** Whether nobody names a model, so that the command mode answers (DESIGN 3.4). */
  readonly isCommandMode: boolean
  /** Waits until the servers are there or have failed. */
  readonly settled: Effect.Effect<void>
  /** Starts the turn of a message. */
  readonly say: (text: string) => Effect.Effect<Saying, Failed>
  /** Ends the turn that runs; none is no error. */
  readonly stop: Effect.Effect<void>
}>()("cli/Conversation") {}
