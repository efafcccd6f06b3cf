/**
 * One server as a scoped layer: it connects in a fiber of its own, and when the layer's scope closes nothing is left.
 */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { NOTHING } from "./Discovery.ts"
import { AlreadyRunning, McpError, type McpErrorReason, NotReady, NotRunning } from "./McpError.ts"
import type { CallOptions, CallResult, McpTool, RejectedTool } from "./McpTool.ts"
import type * as Connect from "./sdk/Connect.ts"
import * as ServerCall from "./ServerCall.ts"
import * as ServerLife from "./ServerLife.ts"
import * as ServerSnapshot from "./ServerSnapshot.ts"
import type { ServerStatus } from "./ServerStatus.ts"

/** What a server's layer is made from. @category models */
export interface ServerOptions {
  /** The names of all configured servers; tool names depend on them (Decision 1). */
  readonly servers: ReadonlyArray<string>
  /** Folders in which commands are looked for after PATH. */
  readonly searchAfterPath: ReadonlyArray<string>
}

/**
 * One configured server.
 *
 * @category services
 */
export class McpServer extends Context.Service<McpServer, {
  readonly name: string
  /** The server as it stands. Answers at once. */
  readonly status: Effect.Effect<ServerStatus>
  /** The status now, and at each change. */
  readonly changes: Stream.Stream<ServerStatus>
  /** The tools that are or were listed, sorted by name; none when stopped by hand. Answers at once. */
  readonly tools: Effect.Effect<ReadonlyArray<McpTool>>
  /** One of these tools by its model-facing name, null when there is none. Answers at once, however many there are. */
  readonly tool: (name: string) => Effect.Effect<McpTool | null>
  /** The tools that discovery left out. Answers at once. */
  readonly rejected: Effect.Effect<ReadonlyArray<RejectedTool>>
  /** Calls a tool by its raw name. See `McpRegistry.call` for limits. Fails with `NotReady` unless the server is ready. */
  readonly call: (tool: string, args: Schema.JsonObject, options: CallOptions) => Effect.Effect<CallResult, McpError>
  /** Answers when the server is not connecting any more. Fails with `AlreadyRunning`, or why it cannot be ready. */
  readonly start: Effect.Effect<ServerStatus, McpError>
  /** Answers when nothing of the server is left, 6 s at most. Fails with `NotRunning`. */
  readonly stop: Effect.Effect<ServerStatus, McpError>
  /** Stops if it runs, then starts. */
  readonly restart: Effect.Effect<ServerStatus, McpError>
  /** Waits while connecting, `startupTimeout` at most. Fails when an enabled server is not ready then. */
  readonly settled: Effect.Effect<ServerStatus, ServerStatus>
}>()("mcp-registry/McpServer") {
  /**
   * A server of this entry. Building it is instant: an enabled server connects in a fiber of the layer's scope. Closing
   * the scope takes it down, process tree and all, in 6 s at most.
   */
  static readonly layer = (
    entry: ConfiguredServer,
    options: ServerOptions
  ): Layer.Layer<McpServer, never, Connect.Requirements> => Layer.effect(McpServer, make(entry, options))
}

const make = Effect.fnUntraced(function*(entry: ConfiguredServer, options: ServerOptions) {
  const requirements = yield* Effect.context<Connect.Requirements>()
  const snapshot = yield* SubscriptionRef.make(ServerSnapshot.initial(entry))
  const life = yield* FiberHandle.make<void>()
  const wake = yield* Queue.sliding<void>(1)
  const turn = yield* Semaphore.make(1)
  const permits = permitsOf(entry.config)
  let isClosing = false

  const read = SubscriptionRef.get(snapshot)
  const status = Effect.map(read, (now) => ServerSnapshot.toStatus(entry, now))
  const changes = Stream.map(SubscriptionRef.changes(snapshot), (now) => ServerSnapshot.toStatus(entry, now))
  const failure = (reason: McpErrorReason) => new McpError({ server: entry.name, reason })
  const set = (change: Partial<ServerSnapshot.ServerSnapshot>) =>
    SubscriptionRef.update(snapshot, (now) => ({ ...now, ...change }))

  const begin = Effect.fnUntraced(function*(config: ServerConfig) {
    const lead = ServerLife.lead({ entry, config, snapshot, wake, ...options })
    yield* FiberHandle.run(life, Effect.provideContext(lead, requirements))
  })
  const end = Effect.fnUntraced(function*() {
    // First, so that no new call finds a connection that is about to go.
    yield* set({ state: "stopped", reason: null, retry: "none", connection: null, discovered: NOTHING })
    yield* FiberHandle.clear(life)
  })
  const settled = changes.pipe(
    Stream.filter(({ state }) => state !== "connecting"),
    Stream.runHead,
    Effect.flatMap(Option.match({ onNone: () => status, onSome: Effect.succeed })),
    Effect.filterOrFail(({ state }) => state !== "failed" && state !== "needs-auth", (failed) => failed)
  )
  const launch = Effect.fnUntraced(function*() {
    const obstacle = ServerSnapshot.obstacle(entry)
    if (obstacle !== null || Result.isFailure(entry.config)) {
      return yield* failure(obstacle ?? new NotRunning({ state: "failed" }))
    }
    yield* FiberHandle.clear(life)
    // Whoever asked may have waited for its turn, or for the old process, while the scope was closing.
    if (isClosing) return yield* failure(new NotRunning({ state: "stopped" }))
    yield* set({ state: "connecting", reason: null, retry: "none", connection: null })
    yield* begin(entry.config.success)
  })
  const outcome = Effect.gen(function*() {
    const now = yield* Effect.catch(settled, Effect.succeed)
    const { reason } = yield* read
    return reason === null ? now : yield* failure(reason)
  })
  /** One change at a time, and none is left half done when whoever asked goes away. */
  const change = <A, E>(effect: Effect.Effect<A, E>) => turn.withPermit(Effect.uninterruptible(effect))

  // Runs first when the scope closes: no call starts any more, and nobody waits for a server that will never be ready.
  yield* Effect.addFinalizer(() => {
    isClosing = true
    return set({ state: "stopped", retry: "none", connection: null })
  })
  if (Result.isSuccess(entry.config) && (yield* read).state === "connecting") yield* begin(entry.config.success)

  const start = Effect.gen(function*() {
    const { state } = yield* read
    if (state === "connecting" || state === "ready") return yield* failure(new AlreadyRunning({ state }))
    yield* launch()
  })
  const stop = Effect.gen(function*() {
    const { state } = yield* read
    if (!isRunning(state) || ServerSnapshot.obstacle(entry) !== null) return yield* failure(new NotRunning({ state }))
    yield* end()
  })
  const restart = Effect.gen(function*() {
    if (isRunning((yield* read).state)) yield* end()
    yield* launch()
  })
  /** A server that is about to be tried again is tried now, once however many callers wait (R4, R47). */
  const revived = Effect.fnUntraced(function*() {
    const now = yield* read
    if (now.connection !== null || now.retry === "none" || now.retry === "slowly") return now
    yield* Queue.offer(wake, undefined)
    yield* SubscriptionRef.changes(snapshot).pipe(
      Stream.filter(({ attempts, connection, retry }) =>
        connection !== null || attempts > now.attempts || retry === "none" || retry === "slowly"
      ),
      Stream.runHead
    )
    return yield* read
  })
  const dispatch = Effect.fnUntraced(
    function*(tool: string, args: Schema.JsonObject, callOptions: CallOptions) {
      const { connection, reason, state } = yield* revived()
      if (connection === null || Result.isFailure(entry.config)) {
        return yield* failure(new NotReady({ state, why: reason?.message ?? null }))
      }
      return yield* Effect.mapError(ServerCall.run(entry.config.success, connection, tool, args, callOptions), failure)
    }
  )
  const call = Effect.fn("McpServer.call")(
    (tool: string, args: Schema.JsonObject, callOptions: CallOptions) =>
      // The connection is looked up when it is the call's turn: it may have been replaced while the call waited.
      permits === null ? dispatch(tool, args, callOptions) : permits.withPermit(dispatch(tool, args, callOptions))
  )
  return McpServer.of({
    name: entry.name,
    status,
    changes,
    tools: Effect.map(read, ({ discovered }) => discovered.tools),
    tool: (name) => Effect.map(read, ({ discovered }) => discovered.byName.get(name) ?? null),
    rejected: Effect.map(read, ({ discovered }) => discovered.rejected),
    call,
    start: Effect.andThen(change(start), outcome),
    stop: Effect.andThen(change(stop), status),
    restart: Effect.andThen(change(restart), outcome),
    settled
  })
})

/** A failed server is running as far as stopping goes: it may be about to be tried again. */
const isRunning = (state: ServerStatus["state"]): boolean =>
  state === "connecting" || state === "ready" || state === "failed" || state === "needs-auth"

const permitsOf = (config: ConfiguredServer["config"]): Semaphore.Semaphore | null =>
  Result.isSuccess(config) && config.success.maxConcurrency !== null
    ? Semaphore.makeUnsafe(config.success.maxConcurrency)
    : null
