/**
 * `GET /api/health`.
 */
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { ChatApi } from "../ChatApi.ts"
import { Instance, proof } from "../Instance.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "health",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* McpRegistry
    const { secret } = yield* Instance
    return handlers.handleAll({
      health: ({ query }) =>
        Effect.map(registry.servers, (servers) => {
          const count = (...states: ReadonlyArray<string>) =>
            servers.filter((server) => states.includes(server.state)).length
          const connecting = count("connecting")
          return {
            status: "ok" as const,
            ready: connecting === 0,
            servers: { ready: count("ready"), failed: count("failed", "needs-auth"), connecting },
            proof: query.nonce === undefined ? null : proof(secret, query.nonce)
          }
        })
    })
  })
)
