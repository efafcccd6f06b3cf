/** The tools of the MCP servers: which there are, and calling one. */
import {
  Agents,
  AllServers,
  OfferedTools,
  OwnCall,
  Questions,
  seeing,
  seen,
  type SeenServers,
  type WorkspaceTools
} from "@boocode/chat"
import { type ResultFiles, type RunOptions, ToolSearch } from "@boocode/toolkit"
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
      AllServers | FileSystem.FileSystem | Path.Path | ResultFiles | SeenServers | WorkspaceTools
    >()
    const index = ToolSearch.make()

    const seenBy = Effect.fnUntraced(function*(name: string | undefined) {
      const agent = name === undefined ? null : yield* agents.agent(name)
      return yield* Effect.provideContext(seeing(OfferedTools.ofAgent(agent)), services)
    })

    const list = Effect.fnUntraced(function*(query: { readonly agent?: string; readonly callable?: "true" }) {
      if (query.agent === undefined && query.callable !== undefined) {
        return {
          tools: (yield* Effect.provideContext(seeing(OwnCall.callable), services)).map(toolDocument),
          warnings: []
        }
      }
      const { tools, warnings } = yield* seenBy(query.agent)
      return { tools: tools.map(toolDocument), warnings }
    })

    const search = Effect.fnUntraced(function*(agent: string | undefined, query: string, limit: number) {
      const allowed = (yield* seenBy(agent)).tools
      const servers = yield* Effect.provideContext(Effect.flatMap(seen, (registry) => registry.servers), services)
      // The index is that of everybody; what is found of it is in sight.
      const all = yield* Effect.provideContext(everything, services)
      return yield* ToolsApi.findTools({ index, all, allowed, servers }, { query, limit })
    })

    const questions = yield* Questions
    const call = Effect.fnUntraced(
      function*(name: string, { approved = false, args, timeoutMillis }: Call, options: RunOptions = {}) {
        const timeout = timeoutMillis === undefined ? undefined : Duration.millis(timeoutMillis)
        const asker = yield* questions.own
        return yield* seeing(OwnCall.call(name, args, { ...options, asker, timeout, isApproved: approved }))
      },
      Effect.provideContext(services)
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

const everything = Effect.map(
  Effect.flatMap(AllServers, ({ tools, writers }) => Effect.all([tools, writers])),
  (lists) => lists.flat()
)

interface Call {
  readonly args?: unknown
  readonly approved?: boolean | undefined
  readonly timeoutMillis?: number | undefined
}
