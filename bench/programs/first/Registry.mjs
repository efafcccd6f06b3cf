/**
 * A small program that uses the registry, from its first line: milliseconds to import the library, and to the first tool
 * of a stdio server. Plain JavaScript, so that it runs where the packages are installed. `Registry.mjs SERVER`
 */
import process from "node:process"

const start = performance.now()
const { McpRegistry } = await import("@boocode/mcp-registry")
const loaded = performance.now() - start

const [{ Environment, McpConfig }, { NodeMcp }, Effect, Layer, Logger] = await Promise.all([
  import("@boocode/mcp-config"),
  import("@boocode/mcp-node"),
  import("effect/Effect"),
  import("effect/Layer"),
  import("effect/Logger")
])

const firstTool = Effect.gen(function*() {
  const registry = yield* McpRegistry
  yield* registry.settled
  const [tool] = yield* registry.tools
  const first = performance.now() - start
  if (tool === undefined) return yield* Effect.die(new Error("there is no tool"))
  process.stdout.write(`${JSON.stringify({ import: loaded, first })}\n`)
})

const registry = McpRegistry.layer().pipe(
  Layer.provide(McpConfig.layerEntries({ server: { command: process.execPath, args: [process.argv[2]] } })),
  Layer.provide(NodeMcp.layer),
  Layer.provide(Environment.layer(process.env)),
  Layer.provideMerge(Layer.succeed(Logger.LogToStderr, true))
)

await Effect.runPromise(Effect.provide(firstTool, registry))
