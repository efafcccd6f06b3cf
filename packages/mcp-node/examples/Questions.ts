/**
 * An example of the README of mcp-registry: a host that answers servers, for all calls and for one.
 */
import { type Asker, McpRegistry, nobody, ServerRequests } from "@boocode/mcp-registry"
import { Effect, Layer, Stream } from "effect"

const host = Layer.succeed(ServerRequests, {
  elicitation: ["form", "url"],
  sampling: false,
  asker: nobody,
  roots: { current: Effect.succeed([{ uri: "file:///work", name: "work" }]), changes: Stream.empty }
})

export const Registry = McpRegistry.layer().pipe(Layer.provide(host))

const person: Asker = {
  ...nobody,
  elicit: (request) =>
    Effect.succeed(request.kind === "url" ? { action: "decline" } : { action: "accept", content: { name: "Ada" } })
}

export const book = Effect.gen(function*() {
  const registry = yield* McpRegistry
  return yield* registry.call("hotel_book", { nights: 2 }, { asker: person })
})
