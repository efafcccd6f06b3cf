/** One server as a scoped layer, without a registry. */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpServer } from "@boocode/mcp-registry"
import { Effect, Layer } from "effect"

const program = Effect.gen(function*() {
  const { servers: [entry] } = yield* McpConfig.use(({ current }) => current)
  if (entry === undefined) return yield* Effect.die("mcp.json has no server")
  const listed = McpServer.use(({ call, settled }) => Effect.andThen(settled, call("list_directory", { path: "." })))
  return yield* Effect.provide(listed, McpServer.layer(entry))
})

const Host = McpConfig.layerFile("mcp.json").pipe(
  Layer.provideMerge(NodeMcp.layer),
  Layer.provideMerge(Environment.layer(process.env))
)

console.log(await Effect.runPromise(Effect.provide(program, Host)))
