/** The models and their providers, here or of a running server. */
import type { Models } from "@boocode/chat-server/Documents"
import type { Draft, KnownProvider, Trial } from "@boocode/chat-server/ModelLayer"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Failed } from "../terminal/Failure.ts"

export interface FoundProvider {
  readonly name: string
  readonly url: string
  readonly models: number
}

export class ModelBackend extends Context.Service<ModelBackend, {
  readonly list: Effect.Effect<typeof Models.Type>
  readonly providers: Effect.Effect<ReadonlyArray<KnownProvider>>
  /** The providers that answer at usual addresses of this machine; takes half a second at most. */
  readonly found: Effect.Effect<ReadonlyArray<FoundProvider>>
  /** Asks a provider for its models as the draft would have it, for 10 s at most. Writes nothing. */
  readonly test: (name: string, draft: Draft) => Effect.Effect<Trial, Failed>
  /**
   * Has chats that name no model use this one, and writes that into settings.json. Fails, and writes nothing, when it cannot
   * be used. Gives the model that they use from now on, which a variable may decide.
   */
  readonly use: (id: string) => Effect.Effect<string | null, Failed>
  readonly save: (name: string, draft: Draft) => Effect.Effect<KnownProvider, Failed>
}>()("cli/ModelBackend") {}
