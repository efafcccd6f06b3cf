/** Decisions about servers that wait for approval, where the servers are: in this command, or at a running server. */
import { McpRegistry, type ServerStatus, type TrustDetails } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Remote from "../backend/Remote.ts"
import { isRejected } from "../lines/ServerLines.ts"
import { type Failed, failed } from "../terminal/Failure.ts"

export type Decision = "once" | "always" | "never"

export interface ServerTrust {
  readonly servers: Effect.Effect<ReadonlyArray<ServerStatus>, Failed>
  readonly details: (name: string) => Effect.Effect<TrustDetails, Failed>
  /** `once` is for this run. The decision is about the entry that was `seen`: one that changed since is not started. */
  readonly decide: (name: string, decision: Decision, seen: string) => Effect.Effect<void, Failed>
}

/** Null where there are no servers at all. */
export const current = Effect.gen(function*(): Effect.fn.Return<ServerTrust | null> {
  const registry = Option.getOrNull(yield* Effect.serviceOption(McpRegistry))
  if (registry !== null) return local(registry)
  const remote = Option.getOrNull(yield* Effect.serviceOption(Remote.Remote))
  return remote === null ? null : elsewhere(remote)
})

const local = (registry: typeof McpRegistry.Service): ServerTrust => ({
  servers: registry.servers,
  details: (name) => Effect.mapError(registry.trustDetails(name), failed),
  decide: (name, decision, seen) =>
    Effect.mapError(
      Effect.asVoid(
        decision === "never"
          ? registry.reject(name, { seen })
          : registry.approve(name, { once: decision === "once", seen })
      ),
      failed
    )
})

const elsewhere = ({ api, quick }: Remote.Remote["Service"]): ServerTrust => {
  const plainly = <A, R>(asked: Effect.Effect<A, unknown, R>) => Effect.mapError(quick(asked), Remote.plainly)
  return {
    servers: Effect.map(plainly(api.servers.list()), ({ servers }) => servers),
    details: (name) => plainly(api.servers.trust({ params: { name } })),
    decide: (name, decision, seen) => {
      const request = { params: { name }, payload: { seen, ...(decision === "once" ? { once: true } : {}) } }
      return Effect.asVoid(plainly(decision === "never" ? api.servers.reject(request) : api.servers.approve(request)))
    }
  }
}

export const isAwaiting = (server: ServerStatus): boolean => server.state === "needs-approval" && !isRejected(server)
