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
  /** Every provider as it stands, sorted by name. */
  readonly providers: Effect.Effect<ReadonlyArray<KnownProvider>>
  /** What answers at usual addresses of this machine; takes half a second at most. */
  readonly found: Effect.Effect<ReadonlyArray<FoundProvider>>
  /** Asks a provider for its models as the draft would have it, for 10 s at most. Writes nothing. */
  readonly test: (name: string, draft: Draft) => Effect.Effect<Trial, Failed>
  readonly save: (name: string, draft: Draft) => Effect.Effect<KnownProvider, Failed>
}>()("cli/ModelBackend") {}
