/**
 * A program with a registry, that ends in a bad way: `RegistryHost.ts ENTRIES HOW`. It prints `ready` when its servers
 * have settled, and then is killed from outside (`wait`), calls `process.exit` (`exit`), throws (`throw`), or dies of a
 * defect of its main effect (`defect`).
 */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry } from "@boocode/mcp-registry"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

const [, , entries = "{}", how = "wait"] = process.argv

const end = Effect.suspend(() => {
  switch (how) {
    case "exit":
      return process.exit(0)
    case "throw":
      setImmediate(() => {
        throw new Error("nobody catches this")
      })
      return Effect.never
    case "defect":
      return Effect.die(new Error("a defect"))
    default:
      return Effect.never
  }
})

const program = Effect.gen(function*() {
  const registry = yield* McpRegistry
  yield* registry.settled
  process.stdout.write("ready\n")
  return yield* end
})

const layer = McpRegistry.layer().pipe(
  Layer.provide(McpConfig.layerEntries(JSON.parse(entries))),
  Layer.provide(NodeMcp.layer),
  Layer.provide(Environment.layer(process.env))
)

program.pipe(Effect.provide(layer), Effect.provideService(Logger.LogToStderr, true), NodeRuntime.runMain)
