/**
 * An example of the README of mcp-registry: what a server tells by itself, and whether it is there.
 */
import { McpRegistry } from "@boocode/mcp-registry"
import { Effect, Stream } from "effect"

export const today = Effect.gen(function*() {
  const registry = yield* McpRegistry
  yield* registry.setLogLevel("notes", "debug")
  yield* Effect.log(`notes answered in ${yield* registry.health("notes")} ms`)
  return registry.watchResource("notes", "memo://today", { atStart: true }).pipe(
    Stream.mapEffect(({ server, uri }) => registry.readResource(server, uri))
  )
}).pipe(Stream.unwrap)
