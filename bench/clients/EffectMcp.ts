/** `McpClient` of `effect/ai`, by its `callTool`, from as many fibers as are in flight. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as ChildProcess from "effect/process/ChildProcess"
import type * as Scope from "effect/Scope"
import { type Open, type Server, type Servers, textOf } from "../support/Client.ts"
import { client, type Ready } from "../support/Fibers.ts"

/** One server of this client: how many tools it has, and how one is called. */
export interface One {
  readonly tools: number
  readonly call: (tool: string, input: Readonly<Record<string, unknown>>) => Effect.Effect<string, unknown>
}

const connect = Effect.fnUntraced(function*(server: Server) {
  const options = { protocol: McpProtocol.v2025_11_25, maxMessageBytes: server.maxMessageBytes }
  const transport = "url" in server
    ? yield* McpClient.http({ ...options, url: server.url })
    : yield* McpClient.stdio({ ...options, command: ChildProcess.make(server.command, server.args) })
  return yield* Effect.provideService(
    McpClient.make({ name: "bench", version: "1.0.0" }),
    McpClient.Transport,
    transport
  )
})

const byCallTool = Effect.fnUntraced(function*(mcp: McpClient.McpClient): Effect.fn.Return<One, unknown> {
  const tools = yield* mcp.listTools()
  return {
    tools: tools.length,
    call: (name, input) => {
      // Few are listed where some are called.
      const tool = tools.find((one) => one.name === name)
      return tool === undefined
        ? Effect.die(new Error(`there is no tool ${name}`))
        : Effect.map(mcp.callTool({ tool, arguments: input }), textOf)
    }
  }
})

type Needs = NodeServices.NodeServices | HttpClient.HttpClient | Scope.Scope

class Connected extends Context.Service<Connected, Ready>()("bench/Connected") {}

type Use = (mcp: McpClient.McpClient) => Effect.Effect<One, unknown>

/** Connects to all servers at the same time, and goes on without those that fail. */
const ready = Effect.fnUntraced(function*(servers: Servers, use: Use): Effect.fn.Return<Ready, never, Needs> {
  const found = new Map<string, One>()
  yield* Effect.forEach(Object.entries(servers), ([name, server]) =>
    connect(server).pipe(
      Effect.flatMap(use),
      Effect.map((one) => found.set(name, one)),
      Effect.catch((error) => Effect.logError(name, error))
    ), { concurrency: "unbounded", discard: true })
  return {
    call: (server, tool, input) =>
      found.get(server)?.call(tool, input) ?? Effect.die(new Error(`${server} is not connected`)),
    tools: Effect.sync(() => [...found.values()].reduce((sum, { tools }) => sum + tools, 0))
  }
})

/** The servers live as long as the runtime. */
export const openWith = (use: Use): Open => (servers) =>
  client(
    ManagedRuntime.make(
      Layer.effect(Connected, ready(servers, use)).pipe(Layer.provide([NodeServices.layer, FetchHttpClient.layer]))
    ),
    Connected
  )

export const open: Open = openWith(byCallTool)
