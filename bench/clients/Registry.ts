/** The registry as a program with Effect uses it: its layer, and `callTool` from as many fibers as are in flight. */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry, type McpTool, type RegistryOptions } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { type Open, type Servers, textOf } from "../support/Client.ts"
import { type Call, client } from "../support/Fibers.ts"

export const layer = (servers: Servers, options: RegistryOptions = {}) =>
  McpRegistry.layer(options).pipe(
    Layer.provide(McpConfig.layerEntries(servers)),
    Layer.provideMerge(NodeMcp.layer),
    Layer.provide(Environment.layer(process.env)),
    // Standard output belongs to the figures.
    Layer.provideMerge(Layer.succeed(Logger.LogToStderr, true))
  )

/** Waits until the tools of so many servers can be called. */
export const usable = Effect.fnUntraced(function*(enough: number) {
  const registry = yield* McpRegistry
  const count = Effect.map(registry.servers, (servers) => servers.filter(({ state }) => state === "ready").length)
  // A change between the two would be missed by looking first and listening then.
  const changes = Stream.merge(Stream.tick("20 millis"), registry.events)
  yield* Stream.runForEachWhile(Stream.mapEffect(changes, () => count), (ready) => Effect.succeed(ready < enough))
})

const settled = Effect.gen(function*() {
  const { failed } = yield* (yield* McpRegistry).settled
  yield* Effect.forEach(failed, ({ message }) => Effect.logError(message), { discard: true })
})

export const ready = Effect.fnUntraced(function*(enough: number | undefined) {
  const registry = yield* McpRegistry
  yield* enough === undefined ? settled : usable(enough)
  const tools = yield* registry.tools
  // Nobody who only lists them needs this.
  let named: ReadonlyMap<string, McpTool> | null = null
  const call: Call = (server, name, input) => {
    named ??= new Map(tools.map((tool) => [`${tool.server}/${tool.tool}`, tool]))
    const tool = named.get(`${server}/${name}`)
    return tool === undefined
      ? Effect.die(new Error(`${server} has no tool ${name}`))
      : Effect.map(registry.callTool(tool, input), textOf)
  }
  return { call, tools: Effect.map(registry.tools, ({ length }) => length) }
})

export const open: Open = (servers, enough) => client(ManagedRuntime.make(layer(servers)), ready(enough))
