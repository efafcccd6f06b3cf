/**
 * The MCP servers: what they are, and starting and stopping them.
 */
import { McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import * as ApiErrors from "../ApiErrors.ts"
import { ChatApi } from "../ChatApi.ts"
import * as EventStream from "../EventStream.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "servers",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* McpRegistry
    // What is there now goes out beside the changes, so a client needs no second request and misses none in between.
    const statuses = Stream.merge(registry.events, Stream.unwrap(Effect.map(registry.servers, Stream.fromIterable)))
    return handlers.handleAll({
      list: () => Effect.map(registry.servers, (servers) => ({ servers })),
      start: ({ params }) => Effect.mapError(registry.start(params.name), ApiErrors.fromMcp),
      stop: ({ params }) => Effect.mapError(registry.stop(params.name), ApiErrors.fromMcp),
      restart: ({ params }) => Effect.mapError(registry.restart(params.name), ApiErrors.fromMcp),
      events: () => Effect.sync(() => EventStream.response(Stream.map(statuses, toEvent)))
    })
  })
)

const toEvent = (status: ServerStatus) => ({ type: "server" as const, ...status })
