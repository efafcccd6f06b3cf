/** Lists the tools of every server again. */
import { type McpError, McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"

/** Asks the servers that are ready, all at the same time. One that fails keeps its tools and is named with the reason. */
export const refreshAll = Effect.gen(function*() {
  const registry = yield* McpRegistry
  const running = (yield* registry.servers).filter(isRunning)
  const [refreshed, failed] = yield* Effect.partition(
    running,
    ({ name }) => Effect.mapBoth(registry.refresh(name), { onSuccess: () => name, onFailure: failure(name) }),
    { concurrency: "unbounded" }
  )
  return { servers: yield* registry.servers, refreshed, failed }
})

const isRunning = ({ idle, state }: ServerStatus): boolean => state === "ready" && !idle

const failure = (server: string) => ({ hint, message }: McpError) => ({ server, message, hint })
