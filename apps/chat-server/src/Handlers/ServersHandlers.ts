/**
 * The MCP servers: what they are, and starting and stopping them.
 */
import { type ConfigSource, McpConfig } from "@boocode/mcp-config"
import { McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import * as ApiErrors from "../ApiErrors.ts"
import { ChatApi } from "../ChatApi.ts"
import * as EventStream from "../EventStream.ts"
import { Signals } from "../Shutdown.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "servers",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* McpRegistry
    const { last } = yield* Signals
    const { sources } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
    const problems = sources.flatMap(toProblem)
    // No server means no change ever, which is no reason for a client to ask again and again.
    const changes = (yield* registry.servers).length === 0 ? Stream.never : registry.events
    // What is there now goes out beside the changes, so a client needs no second request and misses none in between.
    const statuses = Stream.merge(changes, Stream.unwrap(Effect.map(registry.servers, Stream.fromIterable))).pipe(
      Stream.interruptWhen(Deferred.await(last))
    )
    return handlers.handleAll({
      list: () => Effect.map(registry.servers, (servers) => ({ servers, problems })),
      start: ({ params }) => Effect.mapError(registry.start(params.name), ApiErrors.fromMcp),
      stop: ({ params }) => Effect.mapError(registry.stop(params.name), ApiErrors.fromMcp),
      restart: ({ params }) => Effect.mapError(registry.restart(params.name), ApiErrors.fromMcp),
      events: () => Effect.sync(() => EventStream.response(Stream.map(statuses, toEvent)))
    })
  })
)

const toProblem = ({ error, file }: ConfigSource) =>
  error === null ? [] : [{ file, line: error.line, column: error.column, message: error.message, hint: error.hint }]

const toEvent = (status: ServerStatus) => ({ type: "server" as const, ...status })
