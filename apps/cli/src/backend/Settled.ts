/** Waits for the servers that this command started. */
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { telling } from "../terminal/Waiting.ts"

/** Waits until no server is connecting any more, and says for whom when that takes long. */
export const settled = McpRegistry.use((registry) => telling(registry.settled, registry.servers, null))

/** The same for these servers alone. */
export const settledServers = (names: ReadonlyArray<string>) =>
  McpRegistry.use((registry) =>
    telling(
      Effect.forEach(names, registry.settledServer, { concurrency: "unbounded" }),
      registry.servers,
      names
    )
  )
