/** The owner's side: one server for each fingerprint that this node owns, built when a node holds it open. */
import type { Asker, CallProgress } from "@boocode/mcp-client"
import type * as Connect from "@boocode/mcp-client/Connect"
import { ConnectionLost, type McpErrorReason } from "@boocode/mcp-client/McpError"
import { ReasonJson } from "@boocode/mcp-client/Protocol"
import { type ConfiguredServer, LOG_LEVELS } from "@boocode/mcp-config"
import * as Entity from "effect/cluster/Entity"
import { Sharding } from "effect/cluster/Sharding"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { isUntaken } from "../model/CallRecord.ts"
import { type Asks, type CallEvent, type HeldEvent, ServerEntity } from "../protocol/ServerEntity.ts"
import type { Instance } from "./Instance.ts"
import * as SharedServer from "./SharedServer.ts"

export interface Options {
  /** The entry of a fingerprint, ready to be started; null where this node's configuration has none. */
  readonly entryOf: (fingerprint: string) => Effect.Effect<ConfiguredServer | null>
  readonly searchAfterPath: ReadonlyArray<string>
  /** Runs with the scope of each server that this node owns. */
  readonly owning: (server: string) => Effect.Effect<void, never, Scope.Scope>
}

/** Registers this node as one that may own servers. A server that nobody holds any more ends after `IDLE`. */
export const layer = (options: Options) =>
  ServerEntity.toLayer(
    Effect.gen(function*() {
      const address = yield* Entity.CurrentAddress
      const { entityId } = address
      const runner = yield* Entity.CurrentRunnerAddress
      const scope = yield* Effect.scope
      const context = yield* Effect.context<Connect.Requirements>()
      const node = `${runner.host}:${runner.port}`
      let made: Owned | null = null
      /** The configuration may come to know the entry later. */
      const make = Effect.gen(function*() {
        if (made !== null) return made
        const entry = yield* options.entryOf(entityId)
        if (entry === null) return yield* UNKNOWN
        yield* options.owning(entry.name)
        const server = yield* SharedServer.make({ entry, searchAfterPath: options.searchAfterPath })
        const most = Result.getOrNull(entry.config)?.maxConcurrency ?? null
        made = { server, permits: most === null ? null : Semaphore.makeUnsafe(most) }
        return made
      }).pipe(Scope.provide(scope), Effect.provideContext(context), Semaphore.makeUnsafe(1).withPermit)
      const owned = Effect.suspend((): Effect.Effect<Owned, McpErrorReason> =>
        made === null ? Effect.fail(SharedServer.GONE) : Effect.succeed(made)
      )
      const use = <A>(id: string, run: (instance: Instance) => Effect.Effect<A, McpErrorReason>) =>
        told(Effect.flatMap(owned, ({ server }) => Effect.flatMap(server.find(id), run)))
      const requests = { use, permits: () => made?.permits ?? null }
      const sharding = yield* Sharding
      /** The server goes to another node. The engine waits for its calls, and says nothing to its holders. */
      const leaving = Effect.gen(function*() {
        while (sharding.hasShardId(address.shardId)) yield* Effect.sleep(LOOK)
        made?.server.retire()
      })
      yield* Effect.forkScoped(leaving)

      return ServerEntity.of({
        Hold: ({ payload: { holder } }) =>
          Stream.callback<HeldEvent, Schema.JsonObject>((queue) =>
            told(Effect.gen(function*() {
              const { listen, opened } = (yield* make).server
              yield* listen((event) => void Queue.offerUnsafe(queue, event))
              const instance = yield* opened
              yield* Effect.acquireRelease(
                Effect.sync(() => instance.join(holder)),
                () => instance.leave(holder)
              )
              Queue.offerUnsafe(queue, { _tag: "Opened", facts: instance.facts(node) })
              const reason = yield* Effect.raceFirst(instance.connection.closed, Deferred.await(instance.lost))
              const taken = instance.calls.taken(holder)
              Queue.offerUnsafe(queue, { _tag: "Closed", reason: ReasonJson.toJson(reason), taken })
              yield* Queue.end(queue)
            }))
          ),
        Call: ({ payload: { args, tool, ...sent } }) =>
          answered(requests, sent, (instance, inquirer) => instance.connection.call({ tool, args, ...inquirer })),
        Inquire: ({ payload: { method, params, ...sent } }) =>
          answered(
            requests,
            sent,
            (instance, { asker, onAsked }) => instance.connection.inquire({ method, params, asker, onAsked })
          ),
        List: ({ payload: { instance, kind } }) =>
          use(instance, ({ connection }) =>
            kind === "tools"
              ? Effect.map(connection.listTools, ({ tools, ...rest }) => ({ items: tools, ...rest }))
              : connection.list(kind)),
        Watch: ({ payload: { holder, instance, uris } }) =>
          use(instance, (one) =>
            Effect.map(one.watch(holder, uris), (refusals) =>
              Object.fromEntries([...refusals].map(([uri, reason]) => [uri, ReasonJson.toJson(reason)])))),
        SetLogLevel: ({ payload: { holder, instance, level } }) =>
          use(instance, (one) =>
            one.setLogLevel(
              holder,
              LOG_LEVELS.find((known) =>
                known === level
              ) ?? null
            )),
        Ping: ({ payload: { instance } }) => use(instance, ({ connection }) => connection.ping),
        Answer: ({ payload: { answer, instance, question } }) =>
          Effect.ignore(use(instance, ({ questions }) => questions.answer(question, answer)))
      })
    }),
    { concurrency: "unbounded", maxIdleTime: IDLE, mailboxCapacity: "unbounded", disableFatalDefects: true }
  )

interface Owned {
  readonly server: SharedServer.SharedServer
  /** How many calls of the whole fleet may run at once; null is no limit. */
  readonly permits: Semaphore.Semaphore | null
}

/** How long a server runs on that nobody holds any more. */
const IDLE = "5 seconds"
/** How soon the holders of a server hear that it leaves. */
const LOOK = "50 millis"

interface Request {
  readonly instance: string
  readonly holder: string
  readonly number: number
  readonly asks: Asks
}

interface Inquirer {
  readonly asker: Asker | null
  readonly onAsked: (open: number) => void
  readonly onProgress: (progress: CallProgress) => void
}

interface Requests {
  readonly use: <A>(
    id: string,
    run: (instance: Instance) => Effect.Effect<A, McpErrorReason>
  ) => Effect.Effect<A, Schema.JsonObject>
  readonly permits: () => Semaphore.Semaphore | null
}

/** A request that the server may act on: taken once, told of as it goes on. */
const answered = (
  { permits, use }: Requests,
  { asks, holder, instance: id, number }: Request,
  run: (instance: Instance, inquirer: Inquirer) => Effect.Effect<Schema.JsonObject, McpErrorReason>
) =>
  Stream.callback<CallEvent, Schema.JsonObject>((queue) =>
    use(id, (instance) => {
      if (!instance.calls.admit(holder, number)) {
        const taken = instance.calls.taken(holder)
        return Effect.fail(taken !== null && isUntaken(taken, number) ? SharedServer.LEFT : SharedServer.GONE)
      }
      const tell = (event: CallEvent) => void Queue.offerUnsafe(queue, event)
      const { asker, end } = instance.questions.begin(holder, asks, tell)
      const made = run(instance, {
        asker,
        onAsked: (count) => tell({ _tag: "Open", count }),
        onProgress: (progress) => tell({ _tag: "Progress", ...progress })
      })
      return (permits()?.withPermit(made) ?? made).pipe(
        Effect.ensuring(Effect.sync(end)),
        Effect.flatMap((result) => {
          tell({ _tag: "Result", result })
          return Effect.asVoid(Queue.end(queue))
        })
      )
    })
  )

const told = <A, E extends McpErrorReason, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Schema.JsonObject, R> =>
  Effect.mapError(effect, ReasonJson.toJson)

const UNKNOWN = new ConnectionLost({
  happened: "the node that would run the server does not know its entry",
  detail: "its configuration is another one",
  try: "give all nodes the same configuration and the same variables",
  unsent: true,
  isMoved: true
})
