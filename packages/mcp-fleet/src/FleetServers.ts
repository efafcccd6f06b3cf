/** The servers of a fleet: each runs once, on the node that owns it, and every node uses it as if it were here. */
import * as Connect from "@boocode/mcp-client/Connect"
import type { McpErrorReason } from "@boocode/mcp-client/McpError"
import { type ConfiguredServer, type Environment, McpConfig } from "@boocode/mcp-config"
import { Admission, ConnectionSource } from "@boocode/mcp-registry"
import type { Sharding } from "effect/cluster/Sharding"
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Fingerprint from "./model/Fingerprint.ts"
import * as ServerOwner from "./owner/ServerOwner.ts"
import { ServerEntity } from "./protocol/ServerEntity.ts"
import * as RemoteConnection from "./remote/RemoteConnection.ts"

export interface FleetServersOptions {
  /** Keys the names of servers, so that nothing of an entry can be told from them. */
  readonly secret: Redacted.Redacted
  /** Where the other nodes reach this one, as `HOST:PORT`. Without it all calls count as forwarded. */
  readonly self?: string | undefined
  /** As in `RegistryOptions`. */
  readonly searchAfterPath?: ReadonlyArray<string> | undefined
  /** Runs when this node begins to own a server. Its scope closes when the node owns it no more. */
  readonly owning?: ((server: string) => Effect.Effect<void, never, Scope.Scope>) | undefined
}

type Needs = Sharding | McpConfig | Environment | Digest.Digest | Connect.Requirements

/**
 * Where a registry gets its connections from in a fleet; give it to `McpRegistry.layer`. Programs run on the node that owns
 * them. A server with an address is connected to from each node, as from several clients. This node also owns servers, which
 * it starts from its own configuration.
 */
export const layer = (options: FleetServersOptions): Layer.Layer<never, never, Needs> => {
  const source = Layer.effect(
    ConnectionSource,
    Effect.gen(function*() {
      const remote = yield* ServerEntity.client
      const context = yield* Effect.context<Digest.Digest | Environment>()
      return (config, searchAfterPath, attempt) =>
        config.transport._tag === "stdio"
          ? Effect.flatMap(
            Effect.provideContext(Fingerprint.make(config, options.secret), context),
            (fingerprint) =>
              Effect.retry(
                RemoteConnection.open({ remote: remote(fingerprint), self: options.self }, config, attempt),
                {
                  schedule: MOVING,
                  while: isMoving
                }
              )
          )
          : Connect.open(config, searchAfterPath, attempt)
    })
  )
  const owner = Layer.unwrap(Effect.gen(function*() {
    const context = yield* Effect.context<McpConfig | Digest.Digest | Environment>()
    return ServerOwner.layer({
      searchAfterPath: options.searchAfterPath ?? [],
      owning: options.owning ?? (() => Effect.void),
      entryOf: (fingerprint) => Effect.provideContext(entryOf(fingerprint, options), context)
    })
  }))
  return Layer.provideMerge(source, owner)
}

/** While a server moves its next owner may not be sure yet, or not know the entry yet. Calls wait meanwhile. */
const MOVING = Schedule.spaced("500 millis").pipe(Schedule.upTo({ duration: "20 seconds" }))

const isMoving = (reason: McpErrorReason): boolean => reason._tag === "ConnectionLost" && reason.isMoved === true

/** The entry that may be started under this fingerprint. */
const entryOf = Effect.fnUntraced(function*(fingerprint: string, { secret }: FleetServersOptions) {
  const { admit } = yield* Admission
  const { servers } = yield* (yield* McpConfig).current
  for (const server of servers) {
    const entry: ConfiguredServer = yield* admit(server)
    if (!entry.enabled || entry.needsApproval || Result.isFailure(entry.config)) continue
    if (entry.config.success.transport._tag !== "stdio") continue
    if ((yield* Fingerprint.make(entry.config.success, secret)) === fingerprint) return entry
  }
  return null
})
