/**
 * `GET /api/health`.
 */
import { McpRegistry } from "@boocode/mcp-registry"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Access } from "../Access.ts"
import * as ApiErrors from "../ApiErrors.ts"
import { ChatApi } from "../ChatApi.ts"
import { Database } from "../Database.ts"
import { Instance, proof } from "../Instance.ts"
import { Signals } from "../Shutdown.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "health",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* McpRegistry
    const access = yield* Access
    const { secret } = yield* Instance
    const { first } = yield* Signals
    const database = yield* Database
    const standing = Effect.gen(function*() {
      if (yield* Deferred.isDone(first)) return "closing" as const
      return (yield* Effect.isSuccess(database.check)) ? "ok" as const : "failing" as const
    })
    const counts = Effect.map(registry.servers, (servers) => {
      const count = (...states: ReadonlyArray<string>) => servers.filter(({ state }) => states.includes(state)).length
      return { ready: count("ready"), failed: count("failed", "needs-auth"), connecting: count("connecting") }
    })
    return handlers.handleAll({
      health: Effect.fnUntraced(function*({ query, request }) {
        const status = yield* standing
        if (query.ready !== undefined && status !== "ok") return yield* Effect.fail(ApiErrors.unready(status))
        const servers = yield* counts
        const isKnown = access.isOpen || (yield* access.isKnown(request))
        return {
          status,
          ready: status === "ok" && servers.connecting === 0,
          servers: isKnown ? servers : null,
          proof: query.nonce === undefined ? null : proof(secret, query.nonce)
        }
      })
    })
  })
)
