/** Built-in commands, and the prompts and resources of the MCP servers. */
import { Commands, CurrentUser, PromptText, type seen, SeenServers } from "@boocode/chat"
import * as ResourcesList from "@boocode/chat/ResourcesList"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import * as EventStream from "../http/EventStream.ts"
import { Signals } from "../services/Shutdown.ts"

type Registry = Effect.Success<typeof seen>

export const layer = HttpApiBuilder.group(
  ChatApi,
  "commands",
  Effect.fnUntraced(function*(handlers) {
    const servers = yield* SeenServers
    const seenServers = Effect.flatMap(CurrentUser, servers.of)
    const { last } = yield* Signals
    const updates = (registry: Registry, server: string, uri: string) =>
      registry.watchResource(server, uri, { atStart: true }).pipe(
        Stream.map(({ at, uri }) => ({ uri, at })),
        Stream.catch((error) => Stream.make({ problem: Problems.fromMcp(error) }))
      )
    const using = <A, E>(use: (registry: Registry) => Effect.Effect<A, E>) => Effect.flatMap(seenServers, use)
    return handlers.handleAll({
      commands: () => Effect.succeed({ commands: Commands.COMMANDS }),
      prompts: ({ query }) => Effect.mapError(using((registry) => registry.prompts(query.server)), Problems.fromMcp),
      prompt: ({ params, payload }) =>
        using((registry) => registry.prompt(params.name, params.prompt, payload?.args ?? {})).pipe(
          Effect.mapBoth({ onSuccess: PromptText.filled, onFailure: Problems.fromMcp })
        ),
      resources: ({ query: { limit, q, server } }) =>
        using((registry) => registry.resources(server)).pipe(
          Effect.mapBoth({
            onSuccess: (list) => ResourcesList.findResources(list, q ?? "", limit ?? ResourcesList.FOUND),
            onFailure: Problems.fromMcp
          })
        ),
      read: ({ params, payload }) =>
        using((registry) => registry.readResource(params.name, payload.uri)).pipe(
          Effect.mapBoth({ onSuccess: (contents) => ({ contents }), onFailure: Problems.fromMcp })
        ),
      watch: ({ params, query }) =>
        Effect.gen(function*() {
          const registry = yield* seenServers
          const { name } = yield* Effect.mapError(registry.server(params.name), Problems.fromMcp)
          return yield* EventStream.response(
            Stream.interruptWhen(updates(registry, name, query.uri), Deferred.await(last))
          )
        }),
      complete: ({ params, payload }) =>
        Effect.mapError(using((registry) => registry.complete(params.name, payload)), Problems.fromMcp)
    })
  })
)
