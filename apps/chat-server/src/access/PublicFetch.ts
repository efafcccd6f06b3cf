/** The way to servers that may have public addresses only (R77): the same fetch, judged at each connection. */
import { GuardedFetch } from "@boocode/mcp-node"
import { McpFetch } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lookup } from "node:dns/promises"
import * as PrivateAddress from "../settings/PrivateAddress.ts"
import { Settings } from "../settings/Settings.ts"

/** Adds it to the ways beneath. Addresses in `privateAddresses` of the settings are allowed. */
export const layer = Layer.effect(
  McpFetch,
  Effect.gen(function*() {
    const web = yield* McpFetch
    const { privateAddresses } = yield* Settings
    const { fetch, send } = yield* GuardedFetch.make(PrivateAddress.refusal(privateAddresses))
    return McpFetch.of({ ...web, publicFetch: fetch, publicSend: send })
  })
)

const PATIENCE = "5 seconds"

/** The addresses of a name, as this machine looks it up when it connects. */
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
