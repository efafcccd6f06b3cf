/**
 * An example of the README of mcp-registry: signing in to a remote server, with tokens that outlive the program.
 */
import { NodeCredentials } from "@boocode/mcp-node"
import { type Asking, McpRegistry } from "@boocode/mcp-registry"
import { Effect, Layer } from "effect"
import { createInterface } from "node:readline/promises"

const credentials = NodeCredentials.layer({ file: "state/credentials.json", use: "auto" })

export const Registry = McpRegistry.layer().pipe(Layer.provide(credentials))

const paste: Asking = {
  redirectUri: "http://127.0.0.1:8123/oauth/callback",
  authorize: ({ server, url }) =>
    Effect.promise(async (signal) => {
      const terminal = createInterface(process.stdin, process.stdout)
      try {
        return await terminal.question(`${server}: open ${url}\nand paste the address you end at: `, { signal })
      } finally {
        terminal.close()
      }
    })
}

export const signIn = Effect.gen(function*() {
  const registry = yield* McpRegistry
  const { state } = yield* registry.login("tickets", paste)
  return state
})

export const signOut = Effect.flatMap(McpRegistry, (registry) => registry.logout("tickets"))
