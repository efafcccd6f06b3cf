/** The MCP servers: what they are, starting and stopping them, and deciding about those of project files. */
import { Agents, Chats, CurrentUser, PersonRegistry, Questions, SeenRegistries } from "@boocode/chat"
import { type ConfigSource, type Environment, McpConfig } from "@boocode/mcp-config"
import { type Applied, McpRegistries, type McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
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
    // An admin manages every server, also one that is for others.
    const registries = yield* SeenRegistries.ManagedRegistries
    const asMine = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideService(PersonRegistry.mine(effect), McpRegistries, registries)
    const use = <A, E, R>(body: (registry: McpRegistry["Service"]) => Effect.Effect<A, E, R>) =>
      Effect.provideService(PersonRegistry.use(body), McpRegistries, registries)
    const { last } = yield* Signals
    const config = yield* McpConfig
    const tools = yield* Effect.context<FileSystem.FileSystem | Path.Path | Environment>()
    const problems = Effect.map(config.current, ({ sources }) => sources.flatMap(toProblem))
    /** Problems of files name servers for all kinds of people, so they are the admins'. */
    const shownProblems = Effect.flatMap(CurrentUser, ({ role }) => role === "admin" ? problems : Effect.succeed([]))
    // The state of now goes out beside the changes, so that a client needs no second request and misses none.
    const statuses = (registry: McpRegistry["Service"]) =>
      Stream.merge(registry.events, Stream.unwrap(Effect.map(registry.servers, Stream.fromIterable)))
    const configurations = (registry: McpRegistry["Service"]) =>
      Stream.merge(Stream.make(NOTHING), registry.applied).pipe(
        Stream.mapEffect(Effect.fnUntraced(function*({ added, changed, removed }) {
          const servers = (yield* registry.servers).map(({ name }) => name)
          return { type: "configuration" as const, servers, added, removed, changed, problems: yield* shownProblems }
        }))
      )
    const agents = Stream.map((yield* Agents).changes, () => ({ type: "agents" as const }))
    const models = Stream.map((yield* ModelProviders).changes, () => ({ type: "models" as const }))
    const permissions = yield* Permissions
    const rules = Stream.map(permissions.changes, (contents) => ({
      type: "permissions" as const,
      write: modeOf(contents)
    }))
    const servers = Stream.provideService(
      PersonRegistry.stream((registry) =>
        Stream.merge(configurations(registry), Stream.map(statuses(registry), toEvent))
      ),
      McpRegistries,
      registries
    )
    const changes = Stream.merge(Stream.merge(agents, models), Stream.merge(rules, (yield* Chats).changes))
    const asked = (yield* Questions).changes
    const events = Stream.merge(Stream.merge(servers, changes), asked).pipe(Stream.interruptWhen(Deferred.await(last)))
    const switched = (switching: ReturnType<typeof EntrySwitch.setWrites>) =>
      asMine(switching).pipe(
        Effect.provideService(McpConfig, config),
        Effect.provideContext(tools),
        Effect.mapError((error) => error._tag === "McpError" ? Problems.fromMcp(error) : Problems.notChanged(error))
      )
    const editing = yield* Effect.context<Exclude<Editing, McpRegistry>>()
    const removal = (name: string) =>
      Effect.mapError(Effect.provideContext(asMine(AddServer.remove(name)), editing), entryProblem)
    return handlers.handleAll({
      add: ({ payload }) =>
        Effect.mapError(
          Effect.provideContext(asMine(AddServer.add(payload.name, payload.entry)), editing),
          entryProblem
        ),
      remove: ({ params }) => removal(params.name),
      list: () =>
        Effect.all({
          servers: use(({ servers }) => servers),
          problems: shownProblems,
          write: Effect.map(permissions.contents, modeOf)
        }),
      start: ({ params }) => Effect.mapError(use((registry) => registry.start(params.name)), Problems.fromMcp),
      stop: ({ params }) => Effect.mapError(use((registry) => registry.stop(params.name)), Problems.fromMcp),
      restart: ({ params }) => Effect.mapError(use((registry) => registry.restart(params.name)), Problems.fromMcp),
      refresh: ({ params }) => Effect.mapError(use((registry) => registry.refresh(params.name)), Problems.fromMcp),
      refreshAll: () => asMine(refreshAll),
      ping: ({ params }) =>
        Effect.mapBoth(use((registry) => registry.health(params.name)), {
          onSuccess: (millis) => ({ millis }),
          onFailure: Problems.fromMcp
        }),
      trust: ({ params }) => Effect.mapError(use((registry) => registry.trustDetails(params.name)), Problems.fromMcp),
      approve: ({ params, payload }) =>
        Effect.mapError(use((registry) => registry.approve(params.name, payload ?? {})), Problems.fromMcp),
      reject: ({ params, payload }) =>
        Effect.mapError(use((registry) => registry.reject(params.name, payload ?? {})), Problems.fromMcp),
      revoke: ({ params }) => Effect.mapError(use((registry) => registry.revoke(params.name)), Problems.fromMcp),
      logs: ({ params, query }) =>
        use((registry) => registry.log(params.name, query.after)).pipe(
          Effect.mapBoth({ onSuccess: (lines) => ({ lines }), onFailure: Problems.fromMcp })
        ),
      logLevel: ({ params, payload }) =>
        Effect.mapError(use((registry) => registry.setLogLevel(params.name, payload.level)), Problems.fromMcp),
      enable: ({ params }) => switched(EntrySwitch.setEnabled(params.name, true)),
      disable: ({ params }) => switched(EntrySwitch.setEnabled(params.name, false)),
      writes: ({ params, payload }) => switched(EntrySwitch.setWrites(params.name, payload.writes)),
      reload: () =>
        Effect.gen(function*() {
          return { ...yield* registries.shared.reload, problems: yield* problems }
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
