/** The registry: every configured server as one scoped layer, its tools under one set of names. */
import { type Asking, Credentials, ownCredentials } from "@boocode/mcp-client/Auth"
import type * as Connect from "@boocode/mcp-client/Connect"
import type { ServerLog } from "@boocode/mcp-client/Host"
import type { McpError } from "@boocode/mcp-client/McpError"
import { type Configuration, type LogLevel, McpConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { ConnectTurn } from "./lifecycle/ConnectAttempt.ts"
import * as CallMetrics from "./metrics/CallMetrics.ts"
import * as SessionMetrics from "./metrics/SessionMetrics.ts"
import type { CallOptions, CallResult, McpTool, RejectedTool } from "./model/McpTool.ts"
import type * as ServerNews from "./model/ServerNews.ts"
import type { ServerStatus } from "./model/ServerStatus.ts"
import * as RegistryView from "./RegistryView.ts"
import * as AppliedConfig from "./servers/AppliedConfig.ts"
import type * as Offerings from "./servers/Offerings.ts"
import * as PersonalKeeping from "./servers/PersonalKeeping.ts"
import * as PersonalServers from "./servers/PersonalServers.ts"
import type { ScriptedServers } from "./servers/ScriptedServers.ts"
import * as ServerSet from "./servers/ServerSet.ts"
import type * as TrustDecisions from "./servers/TrustDecisions.ts"
import type * as ToolView from "./tools/ToolView.ts"

/** All servers once none is connecting any more. */
export interface Settled {
  readonly connected: ReadonlyArray<ServerStatus>
  /** Why each of the others failed, or who has to sign in. */
  readonly failed: ReadonlyArray<McpError>
}

/**
 * The registry of MCP servers.
 *
 * **Example** (A call, without a server)
 *
 * ```ts
 * import { McpRegistry } from "@boocode/mcp-registry"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const registry = yield* McpRegistry
 *   yield* registry.settled
 *   return yield* registry.call("files_list", { path: "." })
 * })
 *
 * const Servers = McpRegistry.layerTest({ files: { tools: { list: () => Effect.succeed("hello.txt") } } })
 * const { content } = await Effect.runPromise(Effect.provide(program, Servers))
 * console.log(content) // [ { type: 'text', text: 'hello.txt' } ]
 * ```
 */
export class McpRegistry extends Context.Service<McpRegistry, {
  /**
   * The people that servers are for, by the servers' names, as the configuration stands; a server that is not in it is for
   * everyone. One that was removed stays, for what is still told of it. The registry itself hides nothing: see
   * `SeenRegistry`. Answers at once.
   */
  readonly audiences: Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>>
  /** Every configured server as it stands, sorted by name. Answers at once. */
  readonly servers: Effect.Effect<ReadonlyArray<ServerStatus>>
  /** One server as it stands. Fails with `UnknownServer`, which names the nearest. */
  readonly server: (name: string) => Effect.Effect<ServerStatus, McpError>
  /** The tools of every server that is or was ready, sorted by name. Answers at once. */
  readonly tools: Effect.Effect<ReadonlyArray<McpTool>>
  /** The tools that discovery left out, with the reasons. Answers at once. */
  readonly rejected: Effect.Effect<ReadonlyArray<RejectedTool>>
  /**
   * The rejected tools that are left out only because they write, under the names that they would have, sorted by name.
   * Those of an entry that says `"writes": "off"` are not among them. `callTool` calls one with `{ writes: true }`. Answers
   * at once.
   */
  readonly writers: Effect.Effect<ReadonlyArray<McpTool>>
  /**
   * The tools that servers keep for their apps (MCP Apps): no model, no list and no search has them. `callTool` calls one,
   * with `{ writes: true }` one that writes. Sorted by name. Answers at once.
   */
  readonly appTools: Effect.Effect<ReadonlyArray<McpTool>>
  /**
   * The tools that patterns allow (docs/decisions.md#decision-3-patterns); `undefined` allows all. `own` names the caller's
   * own tools, which no server has, so that no warning says that such a name is unknown. Answers at once.
   */
  readonly view: (
    patterns: ReadonlyArray<string> | undefined,
    own?: ReadonlyArray<string>
  ) => Effect.Effect<ToolView.ToolView>
  /** One tool by its model-facing name. Fails with `UnknownTool`, `RejectedByPolicy`, or `NotReady` while its server may still bring it. */
  readonly tool: (name: string) => Effect.Effect<McpTool, McpError>
  /**
   * Calls a tool by its model-facing name. Missing, null and "" arguments become {}. A tool's own error and a JSON-RPC
   * error are results with `isError`. Interruption reaches the server. Limits: the entry's `timeout` (idle) and
   * `maxTotalTimeout`. Sent at most once, or twice where `retry` of the entry allows it.
   */
  readonly call: (name: string, args: unknown, options?: CallOptions) => Effect.Effect<CallResult, McpError>
  /**
   * Calls a tool that `tools`, `view` or, with `{ writes: true }`, `writers` gave earlier, also when its model-facing name has changed since. While a changed
   * entry replaces a server, two connections may be open: the call goes to the new one if that offers the tool, else to the
   * old one while it finishes its calls. Otherwise as `call`. Also fails with `UnknownServer`, and with `ToolsChanged` for a
   * tool that has come to write since it was given, unless `writes` is true.
   */
  readonly callTool: (tool: McpTool, args: unknown, options?: CallOptions) => Effect.Effect<CallResult, McpError>
  /**
   * The prompts of all servers, or of one. Lists of all are fetched side by side and kept until they change; a server that
   * sleeps is not woken, and one that takes longer than 5 s, or fails, is named in the answer. One server alone is woken;
   * fails with `UnknownServer`, `NotReady` and what a request fails with.
   */
  readonly prompts: Offerings.Offerings["prompts"]
  /**
   * Has a server fill in one of its prompts; arguments that are no texts become JSON. Fails with `UnknownServer`,
   * `UnknownPrompt` (both name the nearest), `InvalidArguments`, and otherwise as a call does. At most `maxResultBytes`.
   */
  readonly prompt: Offerings.Offerings["prompt"]
  /** The resources of all servers, or of one, and the templates of their URIs. As `prompts`. */
  readonly resources: Offerings.Offerings["resources"]
  /** Reads a resource, at most `maxResultBytes` of it. Fails with `UnknownServer`, `UnknownResource`, and as a call does. */
  readonly readResource: Offerings.Offerings["readResource"]
  /**
   * Emits each time that a resource changed. The registry subscribes at the server with the first watcher, and unsubscribes
   * with the last. The stream goes on over restarts and changed entries of the server, keeps it awake, and emits once more
   * when it is back, for what was missed; with `atStart` also as soon as the subscription begins. Fails with
   * `UnknownServer`, also when the server is removed, with `NotReady`, with `NotOffered` where it tells of no updates, and
   * with `RequestFailed` when it refuses this one.
   */
  readonly watchResource: Offerings.WatchResource
  /** The completions of an argument; none where the server declares none. Fails as `prompt` does. */
  readonly complete: Offerings.Offerings["complete"]
  /**
   * Starts a server for this caller alone, where the entry says `"session": "client"`; null where it says that all
   * share one. It runs from now until the scope closes, and sleeps as its `idleTtl` says. Its tools are not those of
   * `tools`, which lists each once. It tells its news to `onNews`, which must not wait, and not to `news`. Fails with
   * `UnknownServer`.
   */
  readonly own: (
    name: string,
    onNews?: (news: ServerNews.ServerNews) => void
  ) => Effect.Effect<RegistryView.OwnServer | null, McpError, Scope.Scope>
  /** Starts a server that is stopped or failed; answers when it is ready or failed. Fails with `AlreadyRunning` or the reason it failed. */
  readonly start: (name: string) => Effect.Effect<ServerStatus, McpError>
  /** Stops a server; answers when it is gone, 6 s at most. Fails with `NotRunning`. */
  readonly stop: (name: string) => Effect.Effect<ServerStatus, McpError>
  /** Stops a server if it runs, then starts it. */
  readonly restart: (name: string) => Effect.Effect<ServerStatus, McpError>
  /**
   * Signs in to a server and restarts it; answers when it is ready or failed. Asks for the scopes that an earlier request
   * lacked, too. `asking` shows a person the address of the sign-in and waits 10 minutes at most. It may be null for an entry
   * that signs in as a program, without a person.
   * Interruption ends it and changes nothing. Fails with `UnknownServer`, `AuthorizationFailed`, what keeps the entry from
   * being used, and why the server failed with the new tokens.
   */
  readonly login: (name: string, asking: Asking | null) => Effect.Effect<ServerStatus, McpError>
  /**
   * Revokes the tokens of a server where its authorization server can do that, and forgets them and our registration in
   * any case. Then restarts a server that ran. Fails with `UnknownServer`, and with `AuthorizationFailed` when there are no
   * tokens or they cannot be forgotten.
   */
  readonly logout: (name: string) => Effect.Effect<ServerStatus, McpError>
  /**
   * Asks a server for log messages from this level on; null is what its entry says. A server that is not connected is asked
   * when it connects. Fails with `UnknownServer`, with `NotOffered` where it declares no logging, and with what a request
   * fails with.
   */
  readonly setLogLevel: (name: string, level: LogLevel | null) => Effect.Effect<ServerStatus, McpError>
  /** Lists a server's tools again, `startupTimeout` at most. Fails with `NotReady`, or why they cannot be listed. */
  readonly refresh: (name: string) => Effect.Effect<ServerStatus, McpError>
  /**
   * Pings a server, 10 s at most, and gives the milliseconds until its answer. A server that sleeps is woken. Fails with
   * `UnknownServer`, `NotReady` and `Unresponsive`.
   */
  readonly health: (name: string) => Effect.Effect<number, McpError>
  /**
   * Starts, replaces and stops servers until they match the configuration. `Admission` decides which may start. The registry
   * does this by itself at every change of the configuration; call it when `Admission` has changed its answer. Answers at
   * once, while servers still connect. Runs one at a time.
   */
  readonly apply: Effect.Effect<ServerSet.Applied>
  /** Reads the files of the configuration again, then does as `apply`. */
  readonly reload: Effect.Effect<ServerSet.Applied>
  /** The changes of each new configuration, from subscription on; also of one that changes no server. */
  readonly applied: Stream.Stream<ServerSet.Applied>
  /**
   * The status of a server at each change, from subscription on, servers that come later included. A listener that
   * is more than 1024 behind misses the oldest, here and of `applied`.
   */
  readonly events: Stream.Stream<ServerStatus>
  /**
   * The news that servers tell on their own, from subscription on: that their prompts or resources changed, and their
   * log messages of the levels that are wanted of them. A change of tools is an event.
   */
  readonly news: Stream.Stream<ServerNews.ServerNews>
  /** Waits until each server is ready, failed or past its `startupTimeout`. */
  readonly settled: Effect.Effect<Settled>
  /** Waits until this one server is not connecting any more, `startupTimeout` at most. Fails with `UnknownServer` only. */
  readonly settledServer: (name: string) => Effect.Effect<ServerStatus, McpError>
  /**
   * The log of a server: its events, its standard error and its log messages, the oldest first. Gives the lines with a `seq` above `after`
   * of the last 64 KB since the registry was built, restarts included. Fails with `UnknownServer`.
   */
  readonly log: (name: string, after?: number) => Effect.Effect<ReadonlyArray<ServerLog.LogLine>, McpError>
  /** The details to look at before a decision about a server. Fails with `UnknownServer`. */
  readonly trustDetails: TrustDecisions.Decisions["trustDetails"]
  /** Lets a server of a project file start, and accepts tools that changed since they were pinned. See `Decisions`. */
  readonly approve: TrustDecisions.Decisions["approve"]
  /** Keeps a server of a project file from starting, and stops it. See `Decisions`. */
  readonly reject: TrustDecisions.Decisions["reject"]
  /** Forgets what was decided about a server of a project file, and stops it. See `Decisions`. */
  readonly revoke: TrustDecisions.Decisions["revoke"]
}>()("mcp-registry/McpRegistry") {
  /**
   * The registry of the configuration as it stands and as it changes. Ready at once: servers connect on their own, all at
   * the same time, and one server's trouble is its own. When the scope closes they go in parallel, all within 6 s.
   *
   * **Details**
   *
   * A new configuration touches only the servers whose entries differ. The server of a changed entry serves until its
   * replacement is ready, then finishes its calls, `maxTotalTimeout` at most, and closes. While the new entry cannot be
   * used, the old server stays, with a warning. Removing or disabling a server, or revoking an approval, stops it at once.
   */
  static readonly layer = (
    options: RegistryOptions = {}
  ): Layer.Layer<McpRegistry | McpRegistries, never, McpConfig | Connect.Requirements> =>
    Layer.provideMerge(McpRegistry.layerOf(), McpRegistries.layer(options))

  /** The registry as one person has it. `person` is a key of the host's; the default is that of a host without people. */
  static readonly layerOf = (person: string = ONE): Layer.Layer<McpRegistry, never, McpRegistries> =>
    Layer.effect(McpRegistry, Effect.flatMap(McpRegistries, (registries) => registries.of(person)))

  /**
   * A registry of servers that a test writes in a few lines. Names, limits, questions and errors are real. Starts no
   * process, and time passes by the clock of the test.
   */
  static readonly layerTest = (servers: ScriptedServers): Layer.Layer<McpRegistry | McpRegistries> =>
    Layer.unwrap(Effect.map(
      Effect.promise(() => import("./servers/ScriptedServers.ts")),
      ({ platform }) => Layer.provide(McpRegistry.layer(), platform(servers))
    ))
}

/** The key of the one person of a host that has no others. */
const ONE = "first"

/**
 * The registry for several people. A personal entry, one with `${user:NAME}` or `"login": "user"`, has a server for each of
 * them; all other servers are everybody's.
 */
export class McpRegistries extends Context.Service<McpRegistries, {
  /**
   * The registry as one person has it, until the scope closes: the servers that all share, and this person's own. Lists,
   * tools, status, events and what is kept of a personal server are theirs alone. The first use starts their servers; they end
   * when nobody has used the registry for them for as long as their last server may be idle. `person` is a key of the host's.
   */
  readonly of: (person: string) => Effect.Effect<McpRegistry["Service"], never, Scope.Scope>
  /** The registry as nobody in particular has it: personal servers are listed, with how many run, and offer nothing. */
  readonly shared: McpRegistry["Service"]
  /** The status of each personal server when it changes, with the key of its person. It keeps nobody's registry in use. */
  readonly personal: Stream.Stream<readonly [person: string, status: ServerStatus]>
  /**
   * For a person who is gone: revokes their tokens of personal servers where that can be done, forgets them, and ends at once
   * what runs for them.
   */
  readonly forget: (person: string) => Effect.Effect<void>
}>()("mcp-registry/McpRegistries") {
  /** As `McpRegistry.layer`, for a host that says whose registry it wants. */
  static readonly layer = (
    options: RegistryOptions = {}
  ): Layer.Layer<McpRegistries, never, McpConfig | Connect.Requirements> =>
    Layer.effect(
      McpRegistries,
      Effect.flatMap(ownCredentials, (store) => Effect.provideService(make(options), Credentials, store))
    )

  /** One registry for everybody, for a host that makes its own. */
  static readonly layerSame: Layer.Layer<McpRegistries, never, McpRegistry> = Layer.effect(
    McpRegistries,
    Effect.map(
      McpRegistry,
      (registry) =>
        McpRegistries.of({
          of: () => Effect.succeed(registry),
          shared: registry,
          personal: Stream.empty,
          forget: () => Effect.void
        })
    )
  )
}

/** How a registry is set up. */
export interface RegistryOptions {
  /** Folders in which commands are looked for after PATH, for instance the `node_modules/.bin` of an installation. */
  readonly searchAfterPath?: ReadonlyArray<string> | undefined
  /**
   * How many servers connect at the same time; null, the default, for all of them. The others wait for their turn, and
   * their `startupTimeout` begins with it, so `settled` may take several of those.
   */
  readonly maxConnecting?: number | null | undefined
  /** Whether calls and connections are counted. Default: true. */
  readonly metrics?: boolean | undefined
}

const make = Effect.fnUntraced(function*(options: RegistryOptions) {
  const config = yield* McpConfig
  const turn = yield* Semaphore.make(1)
  // Made before the scope of the servers, so that everybody's close at the same time.
  const views = yield* RcMap.make({
    lookup: (person: string) => viewOf(person),
    idleTimeToLive: () => personal.idle()
  })
  // Closed in parallel, so that one slow close does not delay another's.
  const scope = yield* Effect.acquireRelease(Scope.make("parallel"), (scope, exit) => Scope.close(scope, exit))
  const { maxConnecting = null, metrics = true, searchAfterPath } = options
  const turns = maxConnecting === null ? null : yield* Semaphore.make(maxConnecting)
  const requirements = (yield* Effect.context<Connect.Requirements>()).pipe(
    Context.add(ConnectTurn, turns),
    Context.add(SessionMetrics.IsCounting, metrics)
  )
  const servers = yield* Effect.provideContext(ServerSet.make(scope, searchAfterPath ?? []), requirements)
  const personal = yield* PersonalServers.make({
    scope,
    searchAfterPath: searchAfterPath ?? [],
    shared: servers,
    turn
  })
  const counted = yield* CallMetrics.make({ metrics })
  const { admit, applied, apply, noticed, reload } = yield* AppliedConfig.make({ servers, personal, turn })
  const audiences = audiencesOf(config.current)
  const view = (person: string | null, set: ServerSet.ServerSet) =>
    Effect.map(
      RegistryView.make({
        servers: set,
        searchAfterPath,
        entries: Effect.map(config.current, ({ servers }) => servers),
        sources: Effect.map(config.current, ({ sources }) => sources),
        admit: (entry) =>
          Effect.flatMap(
            admit(entry),
            (admitted) =>
              person === null
                ? Effect.succeed(PersonalServers.place(admitted))
                : personal.entryOf(person, admitted)
          ),
        apply,
        applied,
        counted,
        running: personal.running
      }),
      (made) => McpRegistry.of({ ...made, audiences, reload })
    )
  const viewOf = Effect.fnUntraced(function*(person: string) {
    const set = yield* Effect.provideContext(personal.begin(person), requirements)
    return yield* view(person, set).pipe(
      PersonalKeeping.keptFor(person, personal.isPersonal),
      personal.inFolder(person)
    )
  })
  return McpRegistries.of({
    shared: yield* view(null, servers),
    personal: personal.events,
    of: (person) => Effect.andThen(noticed, RcMap.get(views, person)),
    forget: Effect.fn("McpRegistries.forget")(function*(person) {
      yield* Effect.scoped(Effect.flatMap(RcMap.get(views, person), signedOut))
      yield* Effect.andThen(personal.end(person), RcMap.invalidate(views, person))
    })
  })
})

/** Logs out of every personal server; one at which nobody is signed in is left alone. */
const signedOut = ({ logout, servers }: McpRegistry["Service"]) =>
  Effect.flatMap(servers, (all) =>
    Effect.forEach(
      all.filter(({ sharing }) => sharing === "personal"),
      ({ name }) => Effect.ignore(logout(name)),
      { concurrency: "unbounded", discard: true }
    ))

/** The audiences by server; one map as long as the configuration stays. */
const audiencesOf = (current: Effect.Effect<Configuration>): McpRegistry["Service"]["audiences"] => {
  let from: Configuration | null = null
  let audiences = new Map<string, ReadonlyArray<string>>()
  return Effect.map(current, (configuration) => {
    if (configuration === from) return audiences
    from = configuration
    const names = new Set(configuration.servers.map(({ name }) => name))
    const gone = [...audiences].filter(([name]) => !names.has(name))
    const now = configuration.servers.flatMap(({ audience, name }) =>
      audience === undefined ? [] : [[name, audience] as const]
    )
    audiences = new Map([...gone, ...now])
    return audiences
  })
}
