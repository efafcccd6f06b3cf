/**
 * The MCP servers: what they are, starting and stopping them, and deciding about those of project files.
 */
import { type ConfigSource, type Environment, McpConfig } from "@boocode/mcp-config"
import { type Applied, McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as ApiErrors from "../ApiErrors.ts"
import { ChatApi } from "../ChatApi.ts"
import * as EntrySwitch from "../EntrySwitch.ts"
import * as EventStream from "../EventStream.ts"
import { Signals } from "../Shutdown.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "servers",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* McpRegistry
    const { last } = yield* Signals
    const config = yield* McpConfig
    const tools = yield* Effect.context<FileSystem.FileSystem | Path.Path | Environment>()
    const problems = Effect.map(config.current, ({ sources }) => sources.flatMap(toProblem))
    // What is there now goes out beside the changes, so a client needs no second request and misses none in between.
    const statuses = Stream.merge(registry.events, Stream.unwrap(Effect.map(registry.servers, Stream.fromIterable)))
    const configurations = Stream.merge(Stream.make(NOTHING), registry.applied).pipe(
      Stream.mapEffect(Effect.fnUntraced(function*({ added, changed, removed }) {
        const servers = (yield* registry.servers).map(({ name }) => name)
        return { type: "configuration" as const, servers, added, removed, changed, problems: yield* problems }
      }))
    )
    const events = Stream.merge(configurations, Stream.map(statuses, toEvent)).pipe(
      Stream.interruptWhen(Deferred.await(last))
    )
    const turn = (name: string, isEnabled: boolean) =>
      EntrySwitch.set(name, isEnabled).pipe(
        Effect.provideService(McpRegistry, registry),
        Effect.provideService(McpConfig, config),
        Effect.provideContext(tools),
        Effect.mapError((error) => error._tag === "McpError" ? ApiErrors.fromMcp(error) : ApiErrors.notChanged(error))
      )
    return handlers.handleAll({
      list: () => Effect.all({ servers: registry.servers, problems }),
      start: ({ params }) => Effect.mapError(registry.start(params.name), ApiErrors.fromMcp),
      stop: ({ params }) => Effect.mapError(registry.stop(params.name), ApiErrors.fromMcp),
      restart: ({ params }) => Effect.mapError(registry.restart(params.name), ApiErrors.fromMcp),
      refresh: ({ params }) => Effect.mapError(registry.refresh(params.name), ApiErrors.fromMcp),
      trust: ({ params }) => Effect.mapError(registry.trustDetails(params.name), ApiErrors.fromMcp),
      approve: ({ params, payload }) =>
        Effect.mapError(registry.approve(params.name, payload ?? {}), ApiErrors.fromMcp),
      reject: ({ params, payload }) => Effect.mapError(registry.reject(params.name, payload ?? {}), ApiErrors.fromMcp),
      revoke: ({ params }) => Effect.mapError(registry.revoke(params.name), ApiErrors.fromMcp),
      logs: ({ params, query }) =>
        registry.log(params.name, query.after).pipe(
          Effect.mapBoth({ onSuccess: (lines) => ({ lines }), onFailure: ApiErrors.fromMcp })
        ),
      enable: ({ params }) => turn(params.name, true),
      disable: ({ params }) => turn(params.name, false),
      reload: () =>
        Effect.gen(function*() {
          return { ...yield* registry.reload, problems: yield* problems }
        }),
      events: () => Effect.sync(() => EventStream.response(events))
    })
  })
)

const NOTHING: Applied = { added: [], removed: [], changed: [], unchanged: [] }

const toProblem = ({ error, file, state }: ConfigSource) => {
  if (error === null) return []
  const hint = state === "kept" ? `${error.hint}; until then its servers stay as they are` : error.hint
  return [{ file, line: error.line, column: error.column, message: error.message, hint }]
}

const toEvent = (status: ServerStatus) => ({ type: "server" as const, ...status })
