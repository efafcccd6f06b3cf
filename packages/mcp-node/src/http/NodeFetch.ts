/** Node's fetch without hidden time limits, through the proxy that the environment names. */
import { McpFetch } from "@boocode/mcp-client"
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { EnvHttpProxyAgent } from "undici"
import * as LazyHttp from "./LazyHttp.ts"

/**
 * Provides `McpFetch` over Node's own `fetch` and undici.
 *
 * Waiting for headers or for the next byte has no limit: the registry limits every wait itself. One attempt to connect
 * lasts 30 seconds at most, so that a retry gets a new one. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` of the
 * `Environment` are honoured, in lower case too. Speaks HTTP/1.1. When the scope closes, its connections are destroyed,
 * those still being made included; that takes a second at most.
 */
export const layer: Layer.Layer<McpFetch, never, Environment> = Layer.effect(
  McpFetch,
  Effect.flatMap(Environment, ({ variables }) => make(variables))
)

/** Makes the service over an agent with these options, but without their limits on headers and bodies. */
export const make = Effect.fnUntraced(function*(
  variables: Readonly<Record<string, string | undefined>>,
  options: EnvHttpProxyAgent.Options = {}
): Effect.fn.Return<McpFetch["Service"], never, Scope.Scope> {
  const ways = yield* LazyHttp.make(
    Effect.flatMap(Effect.promise(() => import("./ProxyAgent.ts")), (agent) => agent.waysOf(variables, options))
  )
  return McpFetch.of(ways)
})
