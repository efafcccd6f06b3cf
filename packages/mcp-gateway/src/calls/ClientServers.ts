/** The servers that one client has for itself, and the way of its requests to them and to shared ones. */
import { McpError, type McpRegistry, type McpTool, type OwnServer } from "@boocode/mcp-registry"
import type { Asker, CallOptions, CallResult, CompletionRequest, ServerNews } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

type Registry = McpRegistry["Service"]

export interface ClientServers {
  /** Does what `McpRegistry.callTool` does, at the client's own server where its entry says `"session": "client"`. */
  readonly callTool: (
    tool: McpTool,
    args: Schema.JsonObject,
    options: CallOptions
  ) => Effect.Effect<CallResult, McpError>
  /** Does what `McpRegistry.prompt` does. */
  readonly prompt: (
    server: string,
    name: string,
    args: Schema.JsonObject,
    asker: Asker
  ) => ReturnType<Registry["prompt"]>
  /** Does what `McpRegistry.readResource` does. */
  readonly readResource: (server: string, uri: string, asker: Asker) => ReturnType<Registry["readResource"]>
  /** Does what `McpRegistry.complete` does. */
  readonly complete: (server: string, request: CompletionRequest) => ReturnType<Registry["complete"]>
  /** Ends those of the client's own servers whose entries changed; the next request starts them as they are now. */
  readonly entriesChanged: (servers: ReadonlyArray<string>) => Effect.Effect<void>
}

interface Held {
  readonly server: OwnServer | null
  readonly scope: Scope.Closeable
}

/** Starts nothing yet. Servers that it starts end with the scope of the client. */
export const make = (
  registry: Registry,
  clientScope: Scope.Scope,
  onNews: (news: ServerNews) => void
): ClientServers => {
  const held = new Map<string, Held>()
  const inTurn = Semaphore.makeUnsafe(1)
  const begun = Effect.fnUntraced(function*(name: string) {
    const known = held.get(name)
    if (known !== undefined) return known.server
    const scope = yield* Scope.fork(clientScope)
    const server = yield* Effect.onExit(
      Scope.provide(registry.own(name, onNews), scope),
      (exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)
    )
    held.set(name, { server, scope })
    return server
  })
  /** The client's own server; null where it has none. */
  const own = (name: string) =>
    Effect.suspend(() => {
      const known = held.get(name)
      return known === undefined ? inTurn.withPermit(begun(name)) : Effect.succeed(known.server)
    })
  const of = <A>(
    name: string,
    shared: Effect.Effect<A, McpError>,
    alone: (server: OwnServer) => Effect.Effect<A, McpError>
  ) =>
    held.get(name)?.server === null ? shared : Effect.flatMap(own(name), (server) =>
      server === null
        ? shared
        // The person may not see a server any more that runs for this client.
        : Effect.andThen(registry.server(name), alone(server)))
  const offered = <A>(name: string, inquiry: Effect.Effect<A, McpError["reason"]>): Effect.Effect<A, McpError> =>
    Effect.mapError(inquiry, (reason) => new McpError({ server: name, reason }))

  return {
    callTool: (tool, args, options) =>
      of(tool.server, registry.callTool(tool, args, options), (server) => server.call(tool.tool, args, options)),
    prompt: (name, prompt, args, asker) =>
      of(
        name,
        registry.prompt(name, prompt, args, { asker }),
        ({ offerings }) => offered(name, offerings.prompt(prompt, args, asker))
      ),
    readResource: (name, uri, asker) =>
      of(
        name,
        registry.readResource(name, uri, { asker }),
        ({ offerings }) => offered(name, offerings.read(uri, { asker }))
      ),
    complete: (name, request) =>
      of(name, registry.complete(name, request), ({ offerings }) => offered(name, offerings.complete(request))),
    entriesChanged: (names) =>
      Effect.forEach(names, (name) => {
        const known = held.get(name)
        held.delete(name)
        return known === undefined ? Effect.void : Scope.close(known.scope, Exit.void)
      }, { discard: true, concurrency: "unbounded" })
  }
}
