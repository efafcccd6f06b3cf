/**
 * What addresses a name has, as this machine looks it up when it connects.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { lookup } from "node:dns/promises"

const PATIENCE = "5 seconds"

export interface HostAddresses {
  /** All of them; none for a name that cannot be looked up within 5 s. */
  readonly of: (host: string) => Effect.Effect<ReadonlyArray<string>>
}

export const HostAddresses = Context.Reference<HostAddresses>("chat-server/HostAddresses", {
  defaultValue: () => ({
    of: (host) =>
      Effect.tryPromise(() => lookup(host, { all: true })).pipe(
        Effect.timeout(PATIENCE),
        Effect.map((found) => found.map(({ address }) => address)),
        Effect.orElseSucceed(() => [])
      )
  })
})
