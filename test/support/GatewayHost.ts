/** A gateway in front of a registry of real servers, on a port of this machine. */
import { Environment, McpConfig, type McpConfigNeeds } from "@boocode/mcp-config"
import { type Caller, type Gateway, type GatewayOptions, McpGateway } from "@boocode/mcp-gateway"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry, nobody, ServerRequests } from "@boocode/mcp-registry"
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse
} from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

/** Where a gateway listens, and the gateway itself. */
export interface Host {
  readonly url: string
  readonly gateway: Gateway
}

/** A registry of these entries, which may ask everything. */
export const registry = (entries: Readonly<Record<string, unknown>>) => registryOf(McpConfig.layerEntries(entries))

/** A registry of this configuration, which may ask everything. */
export const registryOf = (config: Layer.Layer<McpConfig, never, McpConfigNeeds>) =>
  McpRegistry.layer().pipe(
    Layer.provide(config),
    Layer.provide(NodeMcp.layer),
    Layer.provide(Environment.layer(process.env)),
    Layer.provide(Layer.succeed(ServerRequests, {
      elicitation: ["form", "url"],
      sampling: true,
      asker: nobody,
      roots: { current: Effect.succeed([{ uri: "file:///host", name: "host" }]), changes: Stream.empty }
    }))
  )

/** Serves until the scope closes. The caller's name is what stands after the path. */
export const serve = Effect.fnUntraced(function*(options: GatewayOptions = {}) {
  const gateway = yield* McpGateway.make(options)
  const context = yield* Effect.context<never>()
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const over = new AbortController()
    outgoing.once("close", () => over.abort())
    const request = requestOf(incoming, over.signal)
    const refused = hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    const caller: Caller = { id: incoming.url ?? "" }
    const response = refused ?? await Effect.runPromiseWith(context)(gateway.handle(request, caller))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    if (response.body === null) return outgoing.end()
    await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing).catch(() => {})
  }
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      // A connection that the server closes while a busy client takes it up again would be a failed call.
      const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => void answer(incoming, outgoing))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.promise(() =>
        new Promise((resolve) => {
          server.close(resolve)
          server.closeAllConnections()
        })
      )
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/mcp`, gateway } satisfies Host
})

const requestOf = (incoming: IncomingMessage, signal: AbortSignal): Request => {
  const hasBody = incoming.method === "POST"
  return new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? "GET",
    headers: Object.entries(incoming.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]]
    ),
    signal,
    ...hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" } : {}
  })
}
