/** A registry as a person sees it: what of it is for others is not there, in no list, no event and no error. */
import { McpError, UnknownServer, UnknownTool } from "@boocode/mcp-client/McpError"
import { Audience, Nearest } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { McpRegistry } from "./McpRegistry.ts"
import type { McpTool } from "./model/McpTool.ts"
import type { ServerStatus } from "./model/ServerStatus.ts"
import type { Applied } from "./servers/ServerSet.ts"
import * as ToolView from "./tools/ToolView.ts"

type Registry = McpRegistry["Service"]

/**
 * Hides the servers of a registry that are not for a viewer, who may change; null sees all. Names of tools stay those of the whole
 * registry. A change of the configuration holds at once, also for calls of tools that were given earlier.
 */
export const make = (registry: Registry, viewer: Effect.Effect<Audience.Viewer | null>): Registry => {
  /** Nobody is looked up where no server is for some people only. */
  const seeing = Effect.flatMap(
    registry.audiences,
    (audiences) =>
      audiences.size === 0 ? Effect.succeed(everything) : Effect.map(
        viewer,
        (person) => (server: string) => person === null || Audience.admits(audiences.get(server) ?? null, person)
      )
  )
  const sees = (server: string) => Effect.map(seeing, (isSeen) => isSeen(server))
  /** The very same list where nothing is hidden, and as long as nothing changes. */
  const kept = <A extends { readonly server: string }>(list: Effect.Effect<ReadonlyArray<A>>) => {
    let from: ReadonlyArray<A> = []
    let last: ReadonlyArray<A> = []
    const seenOf = (all: ReadonlyArray<A>, isSeen: IsSeen) => {
      const seen = all.filter(({ server }) => isSeen(server))
      const isSame = from === all && seen.length === last.length && seen.every((one, index) => one === last[index])
      from = all
      if (!isSame) last = seen.length === all.length ? all : seen
      return last
    }
    return Effect.flatMap(
      seeing,
      (isSeen) => isSeen === everything ? list : Effect.map(list, (all) => seenOf(all, isSeen))
    )
  }
  const tools = kept(registry.tools)
  const rejected = kept(registry.rejected)
  const writers = kept(registry.writers)
  const appTools = kept(registry.appTools)
  /** Somebody who sees a server need not know who else does. */
  const told = (status: ServerStatus) =>
    status.for === undefined
      ? Effect.succeed(status)
      : Effect.map(viewer, (person): ServerStatus => person === null ? status : Struct.omit(status, ["for"]))
  const servers = Effect.flatMap(
    Effect.all([registry.servers, seeing]),
    ([all, isSeen]) => Effect.forEach(all.filter(({ name }) => isSeen(name)), told)
  )
  const view = ToolView.keeping<McpTool>()

  const unknownServer = Effect.fnUntraced(function*(name: string) {
    const nearest = Nearest.nearest(name, (yield* servers).map((server) => server.name))
    return yield* new McpError({ server: null, reason: new UnknownServer({ name, nearest }) })
  })
  /** An effect about a server, for those who see it. */
  const of = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | McpError, R> =>
    Effect.flatMap(
      seeing,
      (isSeen): Effect.Effect<A, E | McpError, R> => isSeen(name) ? effect : unknownServer(name)
    )
  const about = <Rest extends ReadonlyArray<unknown>, A, E, R>(
    use: (name: string, ...rest: Rest) => Effect.Effect<A, E, R>
  ) =>
  (name: string, ...rest: Rest) => of(name, use(name, ...rest))

  const unknownTool = Effect.fnUntraced(function*(name: string, files: ReadonlyArray<string> = []) {
    const nearest = Nearest.nearest(name, (yield* tools).map((one) => one.name))
    return yield* new McpError({ server: null, reason: new UnknownTool({ name, nearest, files }) })
  })
  const toolInSight = (name: string) =>
    Effect.matchEffect(registry.tool(name), {
      onSuccess: (found) => Effect.flatMap(sees(found.server), (is) => is ? Effect.succeed(found) : unknownTool(name)),
      onFailure: (error) =>
        error.reason._tag === "UnknownTool"
          ? unknownTool(name, error.reason.files)
          : Effect.flatMap(
            error.server === null ? Effect.succeed(true) : sees(error.server),
            (is) => is ? Effect.fail(error) : unknownTool(name)
          )
    })
  const isOpen = Effect.map(registry.audiences, ({ size }) => size === 0)
  const tool = (name: string) => Effect.flatMap(isOpen, (is) => is ? registry.tool(name) : toolInSight(name))
  const callTool: Registry["callTool"] = (found, args, options) =>
    of(found.server, registry.callTool(found, args, options))

  const listed = <A extends Listed, E>(list: Effect.Effect<A, E>, pick: (list: A, isSeen: IsSeen) => Partial<A>) =>
    Effect.map(Effect.all([list, seeing]), ([all, isSeen]) => ({
      ...all,
      ...pick(all, isSeen),
      waiting: all.waiting.filter(isSeen),
      failed: all.failed.filter(({ server }) => isSeen(server)),
      // Each begins with the name of its server.
      warnings: all.warnings.filter((words) => isSeen(words.split(": ")[0] ?? ""))
    }))
  const prompts: Registry["prompts"] = (server) =>
    listed(
      server === null || server === undefined ? registry.prompts() : of(server, registry.prompts(server)),
      (all, isSeen) => ({ prompts: all.prompts.filter((one) => isSeen(one.server)) })
    )
  const resources: Registry["resources"] = (server) =>
    listed(
      server === null || server === undefined ? registry.resources() : of(server, registry.resources(server)),
      (all, isSeen) => ({
        resources: all.resources.filter((one) => isSeen(one.server)),
        templates: all.templates.filter((one) => isSeen(one.server))
      })
    )

  /** A server that comes into sight was added, and one that goes out of sight was removed. */
  const applied = Stream.unwrap(Effect.map(servers, (first) => {
    let before = new Set(first.map(({ name }) => name))
    return Stream.mapEffect(registry.applied, ({ changed }) =>
      Effect.map(servers, (now): Applied => {
        const after = new Set(now.map(({ name }) => name))
        const stayed = [...after].filter((name) => before.has(name))
        const change = {
          added: [...after].filter((name) => !before.has(name)),
          removed: [...before].filter((name) => !after.has(name)),
          changed: stayed.filter((name) => changed.includes(name)),
          unchanged: stayed.filter((name) => !changed.includes(name))
        }
        before = after
        return change
      }))
  }))

  return {
    audiences: registry.audiences,
    servers,
    server: about((name) => Effect.flatMap(registry.server(name), told)),
    tools,
    rejected,
    writers,
    appTools,
    view: (patterns, own) =>
      Effect.flatMap(
        isOpen,
        (is) => is ? registry.view(patterns, own) : Effect.map(tools, (all) => view(all, patterns, own ?? []))
      ),
    tool,
    call: (name, args, options) => Effect.flatMap(tool(name), (found) => callTool(found, args, options)),
    callTool,
    prompts,
    prompt: about(registry.prompt),
    resources,
    readResource: about(registry.readResource),
    watchResource: (name, uri, options) =>
      Stream.unwrap(of(name, Effect.sync(() => registry.watchResource(name, uri, options)))),
    complete: about(registry.complete),
    own: about(registry.own),
    start: about(registry.start),
    stop: about(registry.stop),
    restart: about(registry.restart),
    login: about(registry.login),
    logout: about(registry.logout),
    setLogLevel: about(registry.setLogLevel),
    refresh: about(registry.refresh),
    health: about(registry.health),
    apply: registry.apply,
    reload: registry.reload,
    applied,
    events: Stream.mapEffect(Stream.filterEffect(registry.events, ({ name }) => sees(name)), told),
    news: Stream.filterEffect(registry.news, ({ server }) => sees(server)),
    settled: Effect.map(Effect.all([registry.settled, seeing]), ([{ connected, failed }, isSeen]) => ({
      connected: connected.filter(({ name }) => isSeen(name)),
      failed: failed.filter(({ server }) => server === null || isSeen(server))
    })),
    settledServer: about(registry.settledServer),
    log: about(registry.log),
    trustDetails: about(registry.trustDetails),
    approve: about(registry.approve),
    reject: about(registry.reject),
    revoke: about(registry.revoke)
  }
}

type IsSeen = (server: string) => boolean

const everything: IsSeen = () => true

interface Listed {
  readonly waiting: ReadonlyArray<string>
  readonly failed: ReadonlyArray<{ readonly server: string }>
  readonly warnings: ReadonlyArray<string>
}
