/** Built-in commands, and the prompts and resources of the MCP servers. */
import { Commands, PersonRegistry, PromptText } from "@boocode/chat"
import * as ResourcesList from "@boocode/chat/ResourcesList"
import { McpRegistries, type McpRegistry } from "@boocode/mcp-registry"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import * as EventStream from "../http/EventStream.ts"
import { Signals } from "../services/Shutdown.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "commands",
  Effect.fnUntraced(function*(handlers) {
    const registries = yield* McpRegistries
    const use = <A, E, R>(body: (registry: McpRegistry["Service"]) => Effect.Effect<A, E, R>) =>
      Effect.provideService(PersonRegistry.use(body), McpRegistries, registries)
    const { last } = yield* Signals
    const updates = (server: string, uri: string) =>
      PersonRegistry.stream((registry) => registry.watchResource(server, uri, { atStart: true })).pipe(
        Stream.provideService(McpRegistries, registries),
        Stream.map(({ at, uri }) => ({ uri, at })),
        Stream.catch((error) => Stream.make({ problem: Problems.fromMcp(error) }))
      )
    return handlers.handleAll({
      commands: () => Effect.succeed({ commands: Commands.COMMANDS }),
      prompts: ({ query }) => Effect.mapError(use((registry) => registry.prompts(query.server)), Problems.fromMcp),
      prompt: ({ params, payload }) =>
        use((registry) => registry.prompt(params.name, params.prompt, payload?.args ?? {})).pipe(
          Effect.mapBoth({ onSuccess: PromptText.filled, onFailure: Problems.fromMcp })
        ),
      resources: ({ query: { limit, q, server } }) =>
        use((registry) => registry.resources(server)).pipe(
          Effect.mapBoth({
            onSuccess: (list) => ResourcesList.findResources(list, q ?? "", limit ?? ResourcesList.FOUND),
            onFailure: Problems.fromMcp
          })
        ),
      read: ({ params, payload }) =>
        use((registry) => registry.readResource(params.name, payload.uri)).pipe(
          Effect.mapBoth({ onSuccess: (contents) => ({ contents }), onFailure: Problems.fromMcp })
        ),
      watch: ({ params, query }) =>
        use((registry) => registry.server(params.name)).pipe(
          Effect.mapError(Problems.fromMcp),
          Effect.flatMap(({ name }) =>
            EventStream.response(Stream.interruptWhen(updates(name, query.uri), Deferred.await(last)))
          )
        ),
      complete: ({ params, payload }) =>
        Effect.mapError(use((registry) => registry.complete(params.name, payload)), Problems.fromMcp)
    })
  })
)
