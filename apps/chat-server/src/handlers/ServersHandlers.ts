/** The MCP servers: what they are, starting and stopping them, and deciding about those of project files. */
import { Agents, AllServers, Chats, CurrentUser, listing, managing, Questions, type SeenServers } from "@boocode/chat"
import { type ConfigSource, type Environment, McpConfig } from "@boocode/mcp-config"
import { type Applied, McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import { type PermissionContent, Permissions } from "@boocode/toolkit"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import * as AddServer from "../entries/AddServer.ts"
import { entryProblem } from "../entries/EntryProblem.ts"
import * as EntrySwitch from "../entries/EntrySwitch.ts"
import * as EventStream from "../http/EventStream.ts"
import { refreshAll } from "../services/RefreshAll.ts"
import { Signals } from "../services/Shutdown.ts"
import { ModelProviders } from "../settings/ModelProviders.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "servers",
  Effect.fnUntraced(function*(handlers) {
    // Whatever changes servers is the admins'.
    const registry = yield* AllServers
    const services = yield* Effect.context<AllServers | SeenServers>()
    /** The servers that the person may look at: an admin manages all of them. */
    const shown = Effect.provideContext(listing(McpRegistry), services)
    const { last } = yield* Signals
    const config = yield* McpConfig
    const tools = yield* Effect.context<FileSystem.FileSystem | Path.Path | Environment>()
    const problems = Effect.map(config.current, ({ sources }) => sources.flatMap(toProblem))
    /** Problems of files name servers, whoever they are for, so they are the admins'. */
    const shownProblems = Effect.flatMap(CurrentUser, ({ role }) => role === "admin" ? problems : Effect.succeed([]))
    // The state of now goes out beside the changes, so that a client needs no second request and misses none.
    const statuses = Stream.unwrap(
      Effect.map(
        shown,
        (registry) => Stream.merge(registry.events, Stream.unwrap(Effect.map(registry.servers, Stream.fromIterable)))
      )
    )
    const configurations = Stream.unwrap(
      Effect.map(shown, (registry) =>
        Stream.merge(Stream.make(NOTHING), registry.applied).pipe(
          Stream.mapEffect(Effect.fnUntraced(function*({ added, changed, removed }) {
            const servers = (yield* registry.servers).map(({ name }) => name)
            return { type: "configuration" as const, servers, added, removed, changed, problems: yield* shownProblems }
          }))
        ))
    )
    const agents = Stream.map((yield* Agents).changes, () => ({ type: "agents" as const }))
    const models = Stream.map((yield* ModelProviders).changes, () => ({ type: "models" as const }))
    const permissions = yield* Permissions
    const rules = Stream.map(permissions.changes, (contents) => ({
      type: "permissions" as const,
      write: modeOf(contents)
    }))
    const servers = Stream.merge(configurations, Stream.map(statuses, toEvent))
    const changes = Stream.merge(Stream.merge(agents, models), Stream.merge(rules, (yield* Chats).changes))
    const asked = (yield* Questions).changes
    const events = Stream.merge(Stream.merge(servers, changes), asked).pipe(Stream.interruptWhen(Deferred.await(last)))
    const switched = (switching: ReturnType<typeof EntrySwitch.setWrites>) =>
      switching.pipe(
        Effect.provideService(McpRegistry, registry),
        Effect.provideService(McpConfig, config),
        Effect.provideContext(tools),
        Effect.mapError((error) => error._tag === "McpError" ? Problems.fromMcp(error) : Problems.notChanged(error))
      )
    const editing = yield* Effect.context<Exclude<Editing, McpRegistry> | AllServers>()
    const removal = (name: string) =>
      Effect.mapError(Effect.provideContext(managing(AddServer.remove(name)), editing), entryProblem)
    return handlers.handleAll({
      add: ({ payload }) =>
        Effect.mapError(
          Effect.provideContext(managing(AddServer.add(payload.name, payload.entry)), editing),
          entryProblem
        ),
      remove: ({ params }) => removal(params.name),
      list: () =>
        Effect.all({
          servers: Effect.flatMap(shown, ({ servers }) => servers),
          problems: shownProblems,
          write: Effect.map(permissions.contents, modeOf)
        }),
      start: ({ params }) => Effect.mapError(registry.start(params.name), Problems.fromMcp),
      stop: ({ params }) => Effect.mapError(registry.stop(params.name), Problems.fromMcp),
      restart: ({ params }) => Effect.mapError(registry.restart(params.name), Problems.fromMcp),
      refresh: ({ params }) => Effect.mapError(registry.refresh(params.name), Problems.fromMcp),
      refreshAll: () => Effect.provideService(refreshAll, McpRegistry, registry),
      ping: ({ params }) =>
        Effect.mapBoth(registry.health(params.name), {
          onSuccess: (millis) => ({ millis }),
          onFailure: Problems.fromMcp
        }),
      trust: ({ params }) => Effect.mapError(registry.trustDetails(params.name), Problems.fromMcp),
      approve: ({ params, payload }) => Effect.mapError(registry.approve(params.name, payload ?? {}), Problems.fromMcp),
      reject: ({ params, payload }) => Effect.mapError(registry.reject(params.name, payload ?? {}), Problems.fromMcp),
      revoke: ({ params }) => Effect.mapError(registry.revoke(params.name), Problems.fromMcp),
      logs: ({ params, query }) =>
        registry.log(params.name, query.after).pipe(
          Effect.mapBoth({ onSuccess: (lines) => ({ lines }), onFailure: Problems.fromMcp })
        ),
      logLevel: ({ params, payload }) =>
        Effect.mapError(registry.setLogLevel(params.name, payload.level), Problems.fromMcp),
      enable: ({ params }) => switched(EntrySwitch.setEnabled(params.name, true)),
      disable: ({ params }) => switched(EntrySwitch.setEnabled(params.name, false)),
      writes: ({ params, payload }) => switched(EntrySwitch.setWrites(params.name, payload.writes)),
      reload: () =>
        Effect.gen(function*() {
          return { ...yield* registry.reload, problems: yield* problems }
        }),
      events: () => EventStream.response(events)
    })
  })
)

type Editing = Effect.Services<ReturnType<typeof AddServer.add>> | Effect.Services<ReturnType<typeof AddServer.remove>>

const NOTHING: Applied = { added: [], removed: [], changed: [], unchanged: [] }

const modeOf = (contents: ReadonlyArray<PermissionContent>) => Permissions.tableOf(contents).write

const toProblem = ({ error, file, state }: ConfigSource) => {
  if (error === null) return []
  const hint = state === "kept" ? `${error.hint}; until then its servers stay as they are` : error.hint
  return [{ file, line: error.line, column: error.column, message: error.message, hint }]
}

const toEvent = (status: ServerStatus) => ({ type: "server" as const, ...status })
