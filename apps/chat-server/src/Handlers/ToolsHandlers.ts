/**
 * The tools of the MCP servers: which there are, and calling one.
 */
import { Agents, WorkspaceTools } from "@boocode/chat"
import { McpRegistry } from "@boocode/mcp-registry"
import { ResultFiles, ToolCall } from "@boocode/toolkit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { toolDocument } from "../ApiDocuments.ts"
import * as ApiErrors from "../ApiErrors.ts"
import { ChatApi } from "../ChatApi.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "tools",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* McpRegistry
    const agents = yield* Agents
    const files = yield* ResultFiles
    const own = (yield* WorkspaceTools).tools.map(({ name }) => name)

    const list = Effect.fnUntraced(function*(agent: string | undefined) {
      const patterns = agent === undefined ? null : (yield* agents.agent(agent)).tools
      const view = yield* registry.view(patterns ?? undefined, own)
      return { tools: view.tools.map(toolDocument), warnings: view.warnings }
    })

    const call = Effect.fnUntraced(
      function*(name: string, args: unknown, timeoutMillis: number | undefined) {
        const tool = yield* registry.tool(name)
        const timeout = timeoutMillis === undefined ? undefined : Duration.millis(timeoutMillis)
        return yield* ToolCall.run(tool, args, { timeout })
      },
      Effect.provideService(ResultFiles, files),
      Effect.provideService(McpRegistry, registry)
    )

    return handlers.handleAll({
      list: ({ query }) => Effect.mapError(list(query.agent), ApiErrors.notFound),
      call: ({ params, payload }) =>
        Effect.mapError(call(params.name, payload?.args, payload?.timeoutMillis), ApiErrors.fromMcp)
    })
  })
)
