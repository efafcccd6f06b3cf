/**
 * An example of the README of mcp-registry: a program over servers that a test says in a few lines.
 */
import { McpRegistry } from "@boocode/mcp-registry"
import { Effect } from "effect"

const Servers = McpRegistry.layerTest({
  files: { tools: { list: () => Effect.succeed("hello.txt") } }
})

const program = Effect.gen(function*() {
  const registry = yield* McpRegistry
  yield* registry.settled
  return yield* registry.call("files_list", { path: "." })
})

export const listed = Effect.provide(program, Servers)
