/** Answers about this server: where it keeps things, its agents, models and settings, whether it is well; and the login. */
import { type Agent, AgentEditor, Agents, Chats } from "@boocode/chat"
import type { LanguageModels } from "@boocode/language-models"
import { VERSION } from "@boocode/mcp-client/Version"
import { McpRegistries } from "@boocode/mcp-registry"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Match from "effect/Match"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import { versions } from "node:process"
import { Access, COOKIE } from "../access/Access.ts"
import { InstanceSecret, proof } from "../access/InstanceSecret.ts"
import { LIFE } from "../access/LoginSessions.ts"
import * as SessionCookie from "../access/SessionCookie.ts"
import { ChatApi } from "../api/ChatApi.ts"
import { agentDocument } from "../api/Documents.ts"
import * as Problems from "../api/Problems.ts"
import { ConfigHistory, type ConfigHistoryTrouble } from "../database/ConfigHistory.ts"
import { Database } from "../database/Database.ts"
import * as AccessGuard from "../http/AccessGuard.ts"
import * as ModelList from "../models/ModelList.ts"
import { OwnCommand } from "../services/OwnCommand.ts"
import { Signals } from "../services/Shutdown.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import { DefaultModel } from "../settings/DefaultModel.ts"
import { ModelProviders } from "../settings/ModelProviders.ts"
import type { Settings } from "../settings/Settings.ts"
import * as SettingsChange from "../settings/SettingsChange.ts"
import { type FleetTrouble, FleetView } from "../telemetry/FleetView.ts"
import * as NodeStanding from "../telemetry/NodeStanding.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "about",
  Effect.fnUntraced(function*(handlers) {
    const { folder, state } = yield* DataFolder
    const { kind, name } = yield* Database
    const command = yield* OwnCommand
    const fleet = (yield* ConfigHistory) !== null
    return handlers.handleAll({
      about: () =>
        Effect.succeed({
          version: VERSION,
          node: versions.node,
          command,
          storage: { kind, name },
          data: folder,
          state,
          fleet
        })
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
    const chats = yield* Chats
    const program = yield* DefaultModel
    const needs = yield* Effect.context<DefaultModel | LanguageModels>()
    const uses = Effect.gen(function*() {
      const { agents: all } = yield* agents.list
      const kept = yield* Effect.orElseSucceed(chats.list, () => [])
      const modelOf = (name: string | null) => (all.find((one) => one.name === name) ?? all[0])?.model ?? null
      return ModelList.lastUses(kept, modelOf, yield* program.model)
    })
    return handlers.handleAll({
      agents: () =>
        Effect.gen(function*() {
          const { agents: all, problems } = yield* agents.list
          return { agents: yield* Effect.forEach(all, shown), problems }
        }),
      models: () => Effect.provideContext(Effect.flatMap(uses, ModelList.all), needs)
    })
  })
)

export const healthLayer = HttpApiBuilder.group(
  ChatApi,
  "health",
  Effect.fnUntraced(function*(handlers) {
    const { shared: registry } = yield* McpRegistries
    const access = yield* Access
    const { secret } = yield* InstanceSecret
    const { first } = yield* Signals
    const database = yield* Database
    const fleet = yield* FleetView
    const ofNode = fleet === null ? null : yield* NodeStanding.make(fleet, registry.servers)
    const standing = Effect.gen(function*() {
      if (yield* Deferred.isDone(first)) return "closing" as const
      if (!(yield* Effect.isSuccess(database.check))) return "failing" as const
      return ofNode === null ? "ok" as const : yield* ofNode
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
        // The health of a server whose database is down can be asked all the same.
        const isKnown = yield* Effect.orElseSucceed(access.known(request), () => null)
        return {
          status,
          ready: status === "ok" && servers.connecting === 0,
          servers: isKnown === null ? null : servers,
          proof: query.nonce === undefined ? null : proof(secret, query.nonce)
        }
      })
    })
  })
)

export const fleetLayer = HttpApiBuilder.group(
  ChatApi,
  "fleet",
  Effect.fnUntraced(function*(handlers) {
    const view = yield* FleetView
    const kept = yield* ConfigHistory
    const inFleet = <A>(value: A | null) =>
      value === null ? Effect.fail(Problems.conflict("alone", ALONE)) : Effect.succeed(value)
    const fleet = inFleet(view)
    const history = inFleet(kept)
    return handlers.handleAll({
      nodes: () =>
        Effect.gen(function*() {
          return { nodes: yield* Effect.mapError((yield* fleet).nodes, fleetSilent) }
        }),
      drain: ({ payload: { node } }) =>
        Effect.flatMap(fleet, ({ drain }) => Effect.mapError(drain(node), fleetProblem)),
      versions: () =>
        Effect.gen(function*() {
          const { versions } = yield* history
          return { versions: yield* Effect.mapError(versions, fleetSilent) }
        }),
      compare: ({ query: { name, version } }) =>
        Effect.flatMap(history, ({ compared }) => Effect.mapError(compared(name, version), historyProblem)),
      restore: Effect.fnUntraced(function*({ payload: { name, newest, version } }) {
        const { restore } = yield* history
        return { name, version: yield* Effect.mapError(restore(name, version, newest), historyProblem) }
      })
    })
  })
)

const ALONE = {
  _tag: "NoFleet",
  message: "this server is no node of a fleet",
  hint: "boocode serve --fleet starts one"
}

const fleetProblem = ({ hint, kind, message, nearest }: FleetTrouble) => {
  switch (kind) {
    case "unknown":
      return Problems.notFound({ _tag: "UnknownNode", message, hint, nearest })
    case "last":
      return Problems.conflict("last", { _tag: "LastNode", message, hint })
    case "database":
      return fleetSilent({ hint, message })
  }
}

const historyProblem = ({ hint, kind, message }: ConfigHistoryTrouble) => {
  switch (kind) {
    case "unknown":
      return Problems.notFound({ _tag: "UnknownVersion", message, hint })
    case "changed":
      return Problems.conflict("changed", { _tag: "VersionChanged", message, hint })
    case "database":
      return fleetSilent({ hint, message })
  }
}

const fleetSilent = ({ hint, message }: Pick<FleetTrouble, "hint" | "message">) =>
  Problems.fromStore({ _tag: "FleetUnknown", message, hint, why: message })

export const accessLayer = HttpApiBuilder.group(
  ChatApi,
  "access",
  Effect.fnUntraced(function*(handlers) {
    const access = yield* Access
    return handlers.handleAll({
      login: Effect.fnUntraced(function*({ payload, request }) {
        const session = yield* Effect.result(access.login(request, Redacted.value(payload.token)))
        if (session._tag === "Failure") return AccessGuard.response(session.failure)
        return session.success === null ? done : withCookie(request, Redacted.value(session.success))
      }),
      logout: ({ request }) =>
        Effect.mapBoth(access.logout(request), {
          onSuccess: () => SessionCookie.removed(HttpServerResponse.expireCookieUnsafe(cleared, COOKIE, OPTIONS)),
          onFailure: Problems.fromStore
        })
    })
  })
)

const done = HttpServerResponse.empty({ status: 204 })

/** A browser keeps nothing of this origin then. Not `cookies`: those are of all ports and names of the site. */
const cleared = HttpServerResponse.setHeader(done, "clear-site-data", "\"cache\", \"storage\"")

/** No page can read it, and no other site's request brings it along. */
const OPTIONS = { path: "/", httpOnly: true, sameSite: "strict" } as const

const withCookie = (request: HttpServerRequest.HttpServerRequest, id: string) =>
  HttpServerResponse.setCookieUnsafe(done, COOKIE, id, {
    ...OPTIONS,
    secure: SessionCookie.isHttps(request),
    maxAge: LIFE
  })

export const settingsLayer = HttpApiBuilder.group(
  ChatApi,
  "settings",
  Effect.fnUntraced(function*(handlers) {
    const { isOpen } = yield* Access
    const { refresh } = yield* ModelProviders
    const services = yield* Effect.context<DataFolder | FileSystem.FileSystem | Path.Path | Settings>()
    const look = Effect.provideContext(SettingsChange.look(isOpen), services)
    return handlers.handleAll({
      settings: () => look,
      change: ({ payload }) =>
        SettingsChange.change(payload, isOpen).pipe(
          Effect.provideContext(services),
          Effect.mapError(settingsProblem),
          Effect.andThen(refresh),
          Effect.andThen(look)
        )
    })
  })
)

const settingsProblem = Match.typeTags<Effect.Error<ReturnType<typeof SettingsChange.change>>>()({
  WrongSetting: Problems.badRequest,
  SettingOfTheFile: Problems.forbidden,
  SettingsNotWritten: Problems.notChanged
})
