/**
 * One name of the configuration: the generation that serves under it, the one that is to take its place, and those that
 * finish their calls.
 */
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Generation } from "./Generation.ts"
import type { McpError } from "./McpError.ts"
import type { McpServer } from "./McpServer.ts"
import type { McpTool } from "./McpTool.ts"
import * as ServerLog from "./ServerLog.ts"
import type { ServerStatus } from "./ServerStatus.ts"

/** What a slot is kept by. @category models */
export interface Host {
  readonly start: (
    entry: ConfiguredServer,
    log: ServerLog.ServerLog,
    onChange: (server: McpServer["Service"]) => Effect.Effect<void>
  ) => Effect.Effect<Generation>
  readonly inBackground: (effect: Effect.Effect<void>) => Effect.Effect<void>
  readonly publish: (status: ServerStatus) => Effect.Effect<void>
}

/** One name of the configuration. @category models */
export interface ServerSlot {
  readonly name: string
  readonly log: ServerLog.ServerLog
  /** The server that serves at this moment. */
  readonly serving: () => McpServer["Service"]
  /** How it stands; a changed entry that is not in use yet is among its warnings. */
  readonly status: Effect.Effect<ServerStatus>
  /**
   * Takes the entry as it is now. Gives true when that makes another server of it. A server that is ready serves on until
   * the new one is; one that is disabled, or waits for approval, ends at once.
   */
  readonly take: (entry: ConfiguredServer) => Effect.Effect<boolean>
  /** The names of all servers have changed. */
  readonly rename: (servers: ReadonlyArray<string>) => Effect.Effect<void>
  /** Who can run a tool as it was listed: the server that serves, else one that finishes its calls. */
  readonly holder: (tool: McpTool) => McpServer["Service"] | null
  /** Stops whatever runs under this name. Otherwise as `McpServer.stop`. */
  readonly stop: Effect.Effect<ServerStatus, McpError>
  /** The same as `McpServer.restart`, of the entry as it is now. */
  readonly restart: Effect.Effect<ServerStatus, McpError>
  /** Waits as `McpServer.settled` does; where another server takes its place meanwhile, for that one. */
  readonly settled: Effect.Effect<ServerStatus, ServerStatus>
  /** Takes everything down in the background. */
  readonly remove: Effect.Effect<void>
}

/**
 * Starts a server of this entry under its name.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(host: Host, first: ConfiguredServer): Effect.fn.Return<ServerSlot> {
  const { name } = first
  const log = ServerLog.make()
  let leaving: ReadonlyArray<Generation> = []
  let next: Generation | null = null
  let isGone = false

  const status = Effect.gen(function*() {
    const waiting = next
    const now = yield* serving.server.status
    if (waiting === null) return now
    return { ...now, warnings: [...now.warnings, inWords(yield* waiting.server.status)] }
  })
  const tell = Effect.suspend(() => isGone ? Effect.void : Effect.flatMap(status, host.publish))
  const start = (entry: ConfiguredServer) =>
    host.start(entry, log, (server) => server === serving.server || server === next?.server ? tell : Effect.void)
  let serving: Generation = yield* start(first)

  /** It finishes its calls before it goes. */
  const retire = Effect.fnUntraced(function*(old: Generation) {
    leaving = [...leaving, old]
    yield* old.server.drained
    yield* old.close
    leaving = leaving.filter((other) => other !== old)
  })
  const promote = Effect.fnUntraced(function*(old: Generation, candidate: Generation) {
    serving = candidate
    next = null
    yield* log.append("event", "the changed entry is in use")
    yield* Effect.logInfo(`${name}: the changed entry is in use`)
    yield* host.inBackground(retire(old))
    yield* tell
  }, Effect.uninterruptible)
  /** Gives true when there is nothing left to decide. */
  const decide = Effect.fnUntraced(function*(old: Generation, candidate: Generation) {
    const [was, is] = yield* Effect.all([old.server.status, candidate.server.status])
    if (isGone || serving !== old || next !== candidate || is.state === "stopped") return true
    if (is.state !== "ready" && isOfUse(was)) return false
    yield* promote(old, candidate)
    return true
  })
  const watch = (old: Generation, candidate: Generation) =>
    Stream.merge(old.server.changes, candidate.server.changes).pipe(
      Stream.mapEffect(() => decide(old, candidate)),
      Stream.takeUntil((isDecided) => isDecided),
      Stream.runDrain
    )
  const replace = Effect.fnUntraced(function*(entry: ConfiguredServer) {
    const old = serving
    const mayServeOn = servesOn(yield* old.server.status, entry)
    const now = yield* start(entry)
    if (next !== null) yield* host.inBackground(next.close)
    next = mayServeOn ? now : null
    if (!mayServeOn) serving = now
    yield* log.append("event", "its entry changed")
    yield* host.inBackground(mayServeOn ? watch(old, now) : old.close)
    // Nor does a call keep a process of it alive: it may be an approval that was taken back.
    if (!mayRun(entry)) yield* Effect.forEach(leaving, ({ close }) => host.inBackground(close), { discard: true })
  })
  const take = Effect.fnUntraced(function*(entry: ConfiguredServer) {
    const newest = next ?? serving
    if (yield* newest.isOf(entry)) {
      yield* newest.server.adopt(entry)
      return false
    }
    if (next !== null && (yield* serving.isOf(entry))) {
      yield* host.inBackground(next.close)
      next = null
      yield* serving.server.adopt(entry)
    } else yield* replace(entry)
    yield* tell
    return true
  })
  /** Nothing but the newest generation stays. Gives true when another one served. */
  const clear = Effect.gen(function*() {
    const old = next === null ? leaving : [...leaving, serving]
    const isNew = next !== null
    if (next !== null) serving = next
    next = null
    if (isNew) yield* tell
    yield* Effect.forEach(old, ({ close }) => close, { concurrency: "unbounded", discard: true })
    return isNew
    // Half done, a process would run on that no name leads to.
  }).pipe(Effect.uninterruptible)
  const stop = Effect.gen(function*() {
    const wasOther = yield* clear
    // What served is gone, so something was stopped, also when the changed entry never ran.
    return yield* wasOther ? Effect.catch(serving.server.stop, () => status) : serving.server.stop
  })
  const settled: ServerSlot["settled"] = Effect.gen(function*() {
    for (;;) {
      const { server } = serving
      const outcome = yield* Effect.result(server.settled)
      if (server === serving.server || isGone) return yield* Effect.fromResult(outcome)
    }
  })
  const holder = (tool: McpTool) => {
    if (serving.server.offers(tool)) return serving.server
    return leaving.find(({ server }) => server.offers(tool))?.server ?? null
  }
  return {
    name,
    log,
    serving: () => serving.server,
    status,
    take,
    rename: (servers) =>
      Effect.forEach(next === null ? [serving] : [serving, next], ({ server }) => server.rename(servers), {
        discard: true
      }),
    holder,
    stop,
    restart: Effect.andThen(clear, Effect.suspend(() => serving.server.restart)),
    settled,
    remove: Effect.suspend(() => {
      isGone = true
      const all = next === null ? [serving, ...leaving] : [serving, next, ...leaving]
      return Effect.forEach(all, ({ close }) => host.inBackground(close), { discard: true })
    })
  }
})

const isOfUse = ({ state }: ServerStatus): boolean => state === "ready" || state === "connecting"

/** Whoever disables a server, or takes an approval back, wants it gone. */
const mayRun = ({ enabled, needsApproval }: ConfiguredServer): boolean => enabled && !needsApproval

/** Whether a server goes on while the changed entry proves itself. */
const servesOn = ({ state }: ServerStatus, entry: ConfiguredServer): boolean =>
  mayRun(entry) && (state === "ready" || (state === "connecting" && Result.isFailure(entry.config)))

const inWords = ({ error }: ServerStatus): string => {
  if (error === null) return "its entry changed: it runs as it was until the new one is ready"
  const force = PERMANENT.has(error._tag) ? "" : "; restart it to change over all the same"
  return `its entry changed and cannot be used, so it runs as it was: ${error.message} (${error.hint}${force})`
}

/** Mistakes of the entry itself: nothing but another entry mends them. */
const PERMANENT: ReadonlySet<string> = new Set(["InvalidEntry", "VariableUnset"])
