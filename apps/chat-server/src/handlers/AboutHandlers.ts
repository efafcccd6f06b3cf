/**
 * What this server says of itself: where it keeps things, its agents and models, and whether it is well.
 */
import { type Agent, AgentEditor, Agents, CommandMode } from "@boocode/chat"
import { LanguageModels } from "@boocode/language-models"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { versions } from "node:process"
import { Access } from "../access/Access.ts"
import { Instance, proof } from "../access/Instance.ts"
import { ChatApi, VERSION } from "../api/ChatApi.ts"
import { agentDocument } from "../api/Documents.ts"
import * as Problems from "../api/Problems.ts"
import { Database } from "../database/Database.ts"
import { Signals } from "../services/Shutdown.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import { DefaultModel } from "../settings/DefaultModel.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "about",
  Effect.fnUntraced(function*(handlers) {
    const { folder, state } = yield* DataFolder
    const { kind, name } = yield* Database
    return handlers.handleAll({
      about: () =>
        Effect.succeed({ version: VERSION, node: versions.node, storage: { kind, name }, data: folder, state })
    })
  })
)

export const agentsLayer = HttpApiBuilder.group(
  ChatApi,
  "agents",
  Effect.fnUntraced(function*(handlers) {
    const agents = yield* Agents
    const { whyFixed } = yield* AgentEditor
    const shown = (agent: Agent) => Effect.map(whyFixed(agent), (why) => agentDocument(agent, why))
    const models = yield* LanguageModels
    const { model } = yield* DefaultModel
    return handlers.handleAll({
      agents: () =>
        Effect.gen(function*() {
          const { agents: all, problems } = yield* agents.list
          return { agents: yield* Effect.forEach(all, shown), problems }
        }),
      models: () =>
        Effect.map(
          Effect.forEach(models.providers, (provider) =>
            Effect.map(models.suggested(provider.provider), (suggested) => ({ ...provider, suggested }))),
          (providers) => ({
            default: model,
            models: providers,
            command: { active: model === null, help: CommandMode.HOW_TO_CONFIGURE }
          })
        )
    })
  })
)

export const healthLayer = HttpApiBuilder.group(
  ChatApi,
  "health",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* McpRegistry
    const access = yield* Access
    const { secret } = yield* Instance
    const { first } = yield* Signals
    const database = yield* Database
    const standing = Effect.gen(function*() {
      if (yield* Deferred.isDone(first)) return "closing" as const
      return (yield* Effect.isSuccess(database.check)) ? "ok" as const : "failing" as const
    })
    const counts = Effect.map(registry.servers, (servers) => {
      const count = (...states: ReadonlyArray<string>) => servers.filter(({ state }) => states.includes(state)).length
      return { ready: count("ready"), failed: count("failed", "needs-auth"), connecting: count("connecting") }
    })
    return handlers.handleAll({
      health: Effect.fnUntraced(function*({ query, request }) {
        const status = yield* standing
        if (query.ready !== undefined && status !== "ok") return yield* Effect.fail(Problems.unready(status))
        const servers = yield* counts
        const isKnown = access.isOpen || (yield* access.isKnown(request))
        return {
          status,
          ready: status === "ok" && servers.connecting === 0,
          servers: isKnown ? servers : null,
          proof: query.nonce === undefined ? null : proof(secret, query.nonce)
        }
      })
    })
  })
)
