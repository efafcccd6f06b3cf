/** Servers that an MCP registry publishes: searched, looked at, and installed. */
import { type CurrentUser, PersonRegistry, SeenRegistries } from "@boocode/chat"
import { McpRegistries, type McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { ChatApi } from "../api/ChatApi.ts"
import { type EntryFailure, installProblem } from "../entries/EntryProblem.ts"
import * as InstallServer from "../entries/InstallServer.ts"
import * as UpgradeServer from "../entries/UpgradeServer.ts"
import type { InstallFailure } from "../published/RegistryFailure.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "registry",
  Effect.fnUntraced(function*(handlers) {
    const managed = yield* SeenRegistries.ManagedRegistries
    /** An admin manages every server, also one that is for others. */
    const managing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideService(PersonRegistry.mine(effect), McpRegistries, managed)
    const services = yield* Effect.context<Exclude<Needs, McpRegistry | CurrentUser> | McpRegistries>()
    const answer = <A>(effect: Effect.Effect<A, EntryFailure | InstallFailure, Needs>) =>
      Effect.mapError(Effect.provideContext(managing(effect), services), installProblem)
    return handlers.handleAll({
      published: ({ query }) =>
        answer(InstallServer.search({ search: query.search?.trim() ?? "", cursor: query.cursor ?? null })),
      publishedServer: ({ params, query }) => answer(InstallServer.look(params.name, query.version ?? null)),
      versions: ({ params }) => answer(InstallServer.versions(params.name)),
      install: ({ payload }) => answer(InstallServer.install(payload)),
      outdated: ({ query }) => answer(UpgradeServer.outdated(query.kept === undefined)),
      upgrade: ({ payload }) => answer(UpgradeServer.upgrade(payload)),
      tryPublished: ({ payload }) => answer(InstallServer.tried(payload))
    })
  })
)

type Needs = Effect.Services<ReturnType<typeof InstallServer.search> | ReturnType<typeof UpgradeServer.upgrade>>
