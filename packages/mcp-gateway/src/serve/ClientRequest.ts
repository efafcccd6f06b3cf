/** A request of a client, and the answer to it. */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { ClientChannel } from "../calls/ClientChannel.ts"
import type { Refusal } from "../model/Sdk.ts"

export type Answer = Effect.Effect<Schema.JsonObject, Refusal>

/** A request about which servers may ask something, and the way back to its client. */
export interface Asked {
  readonly params: Schema.JsonObject
  readonly channel: ClientChannel
}
