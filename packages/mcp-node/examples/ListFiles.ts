/**
 * The example of the READMEs: every server of mcp.json, and one call.
 */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry } from "@boocode/mcp-registry"
import { Effect, Layer } from "effect"

const Registry = McpRegistry.layer().pipe(
  Layer.provide(McpConfig.layerFile("mcp.json")),
  Layer.provide(NodeMcp.layer),
  Layer.provide(Environment.layer(process.env))
)

const program = Effect.gen(function*() {
  const registry = yield* McpRegistry
  yield* registry.settled
  return yield* registry.call("files_list_directory", { path: "." })
})

console.log(await Effect.runPromise(Effect.provide(program, Registry)))
