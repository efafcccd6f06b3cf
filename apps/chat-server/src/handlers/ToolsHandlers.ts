/** The tools of the MCP servers: which there are, and calling one. */
import {
  Agents,
  CurrentUser,
  OfferedTools,
  OwnCall,
  PersonRegistry,
  Questions,
  type WorkspaceTools
} from "@boocode/chat"
import { type McpRegistries, McpRegistry } from "@boocode/mcp-registry"
import { type ResultFiles, type RunOptions, ToolSearch } from "@boocode/toolkit"
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as Path from "effect/Path"
import { ChatApi } from "../api/ChatApi.ts"
import { toolDocument } from "../api/Documents.ts"
import * as Problems from "../api/Problems.ts"
import * as ToolsApi from "../api/ToolsApi.ts"
import * as EventStream from "../http/EventStream.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "tools",
  Effect.fnUntraced(function*(handlers) {
    const agents = yield* Agents
    const services = yield* Effect.context<
      FileSystem.FileSystem | McpRegistries | Path.Path | ResultFiles | WorkspaceTools
    >()
    const indexes = yield* Cache.make({
      capacity: INDEXES,
      lookup: (_person: string) => Effect.sync(() => ToolSearch.make())
    })
    const asMine = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideContext(PersonRegistry.mine(effect), services)

    const seenBy = Effect.fnUntraced(function*(name: string | undefined) {
      const agent = name === undefined ? null : yield* agents.agent(name)
      return yield* asMine(OfferedTools.ofAgent(agent))
    })

    const list = Effect.fnUntraced(function*(query: { readonly agent?: string; readonly callable?: "true" }) {
      if (query.agent === undefined && query.callable !== undefined) {
        return { tools: (yield* asMine(OwnCall.callable)).map(toolDocument), warnings: [] }
      }
      const { tools, warnings } = yield* seenBy(query.agent)
      return { tools: tools.map(toolDocument), warnings }
    })

    const search = Effect.fnUntraced(function*(agent: string | undefined, query: string, limit: number) {
      const allowed = (yield* seenBy(agent)).tools
      const [all, servers] = yield* asMine(McpRegistry.use((registry) =>
        Effect.all([
          Effect.zipWith(registry.tools, registry.writers, (tools, writers) => [...tools, ...writers]),
          registry.servers
        ])
      ))
      const index = yield* Cache.get(indexes, (yield* CurrentUser).id)
      return yield* ToolsApi.findTools({ index, all, allowed, servers }, { query, limit })
    })

    const questions = yield* Questions
    const call = Effect.fnUntraced(
      function*(name: string, { approved = false, args, timeoutMillis }: Call, options: RunOptions = {}) {
        const timeout = timeoutMillis === undefined ? undefined : Duration.millis(timeoutMillis)
        const asker = yield* questions.own
        return yield* OwnCall.call(name, args, { ...options, asker, timeout, isApproved: approved })
      },
      asMine
    )

    return handlers.handleAll({
      list: ({ query }) => Effect.mapError(list(query), Problems.notFound),
      search: ({ query: { agent, limit, q } }) =>
        Effect.mapError(search(agent, q, limit ?? ToolsApi.LIMIT), Problems.notFound),
      call: ({ params, payload }) => Effect.mapError(call(params.name, payload ?? {}), Problems.fromCall),
      stream: ({ params, payload }) =>
        EventStream.response(ToolsApi.makeCallStream((options) => call(params.name, payload ?? {}, options)))
    })
  })
)

/** The number of people whose search index is kept. */
const INDEXES = 50

interface Call {
  readonly args?: unknown
  readonly approved?: boolean | undefined
  readonly timeoutMillis?: number | undefined
}
