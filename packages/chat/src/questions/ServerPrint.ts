/**
 * What a server is to a person who allowed it something: its name, where it is declared, and how.
 */
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"

/**
 * The hash of the server's entry, in which its name and the folder of its file are; where it has none, because a program
 * gave the entry, or it is gone, what else is known of it.
 *
 * @category getters
 */
export const of = (server: string): Effect.Effect<string, never, McpRegistry> =>
  McpRegistry.use((registry) =>
    Effect.match(registry.trustDetails(server), {
      onFailure: () => JSON.stringify([server]),
      onSuccess: ({ file, hash }) => hash ?? JSON.stringify([server, file])
    })
  )
