/**
 * Built-in commands, and the prompts and resources of the MCP servers.
 */
import { Commands, PromptText } from "@boocode/chat"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as ApiErrors from "../ApiErrors.ts"
import { ChatApi } from "../ChatApi.ts"
import * as ResourceFinding from "../ResourceFinding.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "commands",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* McpRegistry
    return handlers.handleAll({
      commands: () => Effect.succeed({ commands: Commands.COMMANDS }),
      prompts: ({ query }) => Effect.mapError(registry.prompts(query.server), ApiErrors.fromMcp),
      prompt: ({ params, payload }) =>
        registry.prompt(params.name, params.prompt, payload?.args ?? {}).pipe(
          Effect.mapBoth({
            onSuccess: (result) => ({ ...result, text: PromptText.of(result) }),
            onFailure: ApiErrors.fromMcp
          })
        ),
      resources: ({ query: { limit, q, server } }) =>
        registry.resources(server).pipe(
          Effect.mapBoth({
            onSuccess: (list) => ResourceFinding.find(list, q ?? "", limit ?? ResourceFinding.FOUND),
            onFailure: ApiErrors.fromMcp
          })
        ),
      read: ({ params, payload }) =>
        registry.readResource(params.name, payload.uri).pipe(
          Effect.mapBoth({ onSuccess: (contents) => ({ contents }), onFailure: ApiErrors.fromMcp })
        ),
      complete: ({ params, payload }) => Effect.mapError(registry.complete(params.name, payload), ApiErrors.fromMcp)
    })
  })
)
