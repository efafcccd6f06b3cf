/** The server of an entry as its owner runs it: started for the first node that holds it, one process for all of them. */
import * as Connect from "@boocode/mcp-client/Connect"
import type { Connection } from "@boocode/mcp-client/Connection"
import { ServerLog } from "@boocode/mcp-client/Host"
import { ConnectionLost, type McpErrorReason } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer } from "@boocode/mcp-config"
import { ConnectionSource, McpServer } from "@boocode/mcp-registry"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as WebCrypto from "effect/crypto/WebCrypto"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Standstill } from "../model/Standstill.ts"
import type { HeldEvent } from "../protocol/ServerEntity.ts"
import { Instance } from "./Instance.ts"

const BEAT = "1 second"

export interface SharedServer {
  /** The instance, after starting the server where nothing of it runs. Fails with why it cannot be had. */
  readonly opened: Effect.Effect<Instance, McpErrorReason>
  /** The instance of this name, if it is still the one. */
  readonly find: (id: string) => Effect.Effect<Instance, McpErrorReason>
  /** Takes no calls any more and lets the holders go: another node takes the server over. Calls that came go on. */
  readonly retire: () => void
  /** Tells this listener of everything, until the scope closes. */
  readonly listen: (tell: (event: HeldEvent) => void) => Effect.Effect<void, never, Scope.Scope>
}

export interface Options {
  readonly entry: ConfiguredServer
  readonly searchAfterPath: ReadonlyArray<string>
}

/** Nothing runs before the first `opened`. All ends with the scope, in 6 s at most. */
export const make = Effect.fnUntraced(function*({ entry, searchAfterPath }: Options) {
  const listeners = new Set<(event: HeldEvent) => void>()
  const tell = (event: HeldEvent) => listeners.forEach((listener) => listener(event))
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  // Servers of this node are connected to here, whatever its registry does.
  const context = Context.add(yield* Effect.context<Connect.Requirements>(), ConnectionSource, Connect.open)
  const layer = McpServer.layer(lasting(entry), { searchAfterPath, log: telling(tell) })
  const built = yield* Effect.cached(Effect.map(
    Effect.provideContext(Layer.buildWithScope(layer, scope), context),
    (services) => Context.get(services, McpServer)
  ))
  let current: Instance | null = null
  let isRetired = false
  const now = () => clock.currentTimeMillisUnsafe()
  const standstill = new Standstill(now())

  const instanceOf = Effect.fnUntraced(function*(connection: Connection) {
    if (current?.connection === connection) return current
    const instance = new Instance((yield* WebCrypto.WebCrypto).randomUUID(), connection, tell)
    current = instance
    return instance
  })
  const unwrapped = <A>(effect: Effect.Effect<A, { readonly reason: McpErrorReason }>) =>
    Effect.mapError(effect, ({ reason }) => reason)
  const opened = Effect.gen(function*() {
    if (standstill.isInDoubt(now())) return yield* DOUBT
    const server = yield* built
    const { state } = yield* server.status
    // Somebody wants it: what ended for good begins anew.
    if (state === "failed" || state === "stopped" || state === "needs-auth") yield* Effect.ignore(server.start)
    const connection = yield* unwrapped(server.connection)
    return isRetired ? yield* LEFT : yield* instanceOf(connection)
  }).pipe(
    // A start that did not come to its end by then, for whatever reason, is made by the next owner.
    Effect.catch((reason) => Effect.fail(isRetired ? LEFT : reason))
  )
  /** The process stood still: its server may run elsewhere now, so it ends, and nothing that was meant for it is taken. */
  const paused = Effect.gen(function*() {
    if (current === null) return
    const { lost } = current
    current = null
    yield* Effect.logWarning(`${entry.name}: this node stood still for a while, so its server is stopped`)
    yield* Deferred.succeed(lost, GONE)
    yield* Effect.ignore((yield* built).stop)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(
    Effect.sleep(BEAT),
    Effect.suspend(() => standstill.beat(now()) ? paused : Effect.void)
  )))
  return {
    opened,
    find: (id) =>
      Effect.suspend(() =>
        current !== null && current.id === id && !standstill.isLate(now()) ? Effect.succeed(current) : Effect.fail(GONE)
      ),
    retire: () => {
      isRetired = true
      if (current === null) return
      current.calls.retire()
      Deferred.doneUnsafe(current.lost, Effect.succeed(LEFT))
    },
    listen: (listener) =>
      Effect.acquireRelease(
        Effect.sync(() => void listeners.add(listener)),
        () => Effect.sync(() => void listeners.delete(listener))
      )
  } satisfies SharedServer
})

/** The one that the request was meant for. Whether it took the request is not known here. */
export const GONE = new ConnectionLost({
  happened: "the node that ran the server is gone",
  detail: "the server goes on elsewhere",
  try: "check whether the call took effect before calling it again",
  isMoved: true
})

/** The request came to a node that gives the server away: it was not sent. */
export const LEFT = new ConnectionLost({
  happened: "the node that ran the server gave it to another one",
  detail: "the server goes on elsewhere",
  isMoved: true,
  unsent: true
})

const DOUBT = new ConnectionLost({
  happened: "the node stood still for a while",
  detail: "it does not know yet whether it still runs the server",
  isMoved: true,
  unsent: true
})

/** Whether it sleeps is for those who hold it to say. */
const lasting = (entry: ConfiguredServer): ConfiguredServer => ({
  ...entry,
  config: Result.map(entry.config, (config) => ({ ...config, lazy: false, idleTtl: null, maxConcurrency: null }))
})

const telling = (tell: (event: HeldEvent) => void): ServerLog.ServerLog => {
  const log = ServerLog.make()
  return {
    append: (kind, text) =>
      Effect.tap(
        log.append(kind, text),
        () => Effect.sync(() => kind === "stderr" ? tell({ _tag: "Line", text }) : undefined)
      ),
    appendMessage: (message, millis) => log.appendMessage(message, millis),
    appendAmongMessages: (text) => log.appendAmongMessages(text),
    after: (seq) => log.after(seq)
  }
}
