/** The clients that are connected. */
import { McpRegistry, type ServerNews } from "@boocode/mcp-registry"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Call } from "../calls/ClientCall.ts"
import { ResultRoom } from "../calls/ResultStore.ts"
import type { Substitute } from "../model/GatewayClient.ts"
import { type Introduction, ServedClient } from "./ServedClient.ts"

export interface ClientRoster {
  /**
   * Lets a client in, in a scope of its own. When its caller has more than 1000 clients, the one that was silent for
   * longest ends.
   */
  readonly enter: (introduction: Introduction) => Effect.Effect<ServedClient>
  /** Notes that a client sent something. */
  readonly seen: (client: ServedClient) => void
  /** Counts a call while it runs. */
  readonly during: <A, E, R>(
    client: ServedClient,
    call: Pick<Call, "tool" | "channel">,
    run: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  readonly find: (id: string) => ServedClient | null
  readonly all: () => ReadonlyArray<ServedClient>
  /** Ends a client with everything that runs for it; false where there is none. */
  readonly end: (id: string) => Effect.Effect<boolean>
  /** The news of servers that one client has for itself. */
  readonly ownNews: Stream.Stream<{ readonly served: ServedClient; readonly news: ServerNews }>
  /** Emits now, and after each change, twice a second at most. */
  readonly changes: Stream.Stream<void>
}

export interface Options {
  readonly substitute: Substitute
  readonly idleLimit: Duration.Duration
}

const PACE = "500 millis"

/** More than any program opens that ends what it began. */
const MOST_OF_CALLER = 1000

/** Nobody is connected yet. All clients end with the scope. */
export const make = Effect.fnUntraced(function*({ idleLimit, substitute }: Options): Effect.fn.Return<
  ClientRoster,
  never,
  McpRegistry | Scope.Scope
> {
  const registry = yield* McpRegistry
  const clock = yield* Clock.Clock
  const scope = yield* Effect.acquireRelease(Scope.make("parallel"), (scope, exit) => Scope.close(scope, exit))
  const clients = new Map<string, ServedClient>()
  const told = yield* PubSub.sliding<void>(1)
  // Each call changes a client twice: what is told already is not told again.
  const changed = Latch.makeUnsafe(false)
  const tell = Effect.sync(() => void changed.openUnsafe())
  const telling = changed.await.pipe(
    Effect.andThen(changed.close),
    Effect.andThen(PubSub.publish(told, undefined)),
    Effect.andThen(Effect.sleep(PACE))
  )
  yield* Effect.forkScoped(Effect.forever(telling))
  const room = new ResultRoom()

  const end = (id: string) =>
    Effect.suspend(() => {
      const client = clients.get(id)
      if (client === undefined) return Effect.succeed(false)
      clients.delete(id)
      return Effect.as(Effect.andThen(Scope.close(client.scope, Exit.void), tell), true)
    })
  const idle = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const limit = now - Duration.toMillis(idleLimit)
    const gone = [...clients.values()].filter((client) => !client.isBusy && client.lastSeen < limit)
    return Effect.forEach(gone, ({ client: { id } }) => end(id), { discard: true })
  })
  yield* Effect.forkScoped(Effect.repeat(idle, Schedule.spaced(Duration.millis(Duration.toMillis(idleLimit) / 10))))

  const heard = yield* Queue.unbounded<{ readonly served: ServedClient; readonly news: ServerNews }>()
  const onNews = (news: ServerNews, served: ServedClient) => void Queue.offerUnsafe(heard, { served, news })

  return {
    ownNews: Stream.fromQueue(heard),
    enter: Effect.fnUntraced(function*(introduction) {
      const own = yield* Scope.fork(scope, "parallel")
      const now = yield* Clock.currentTimeMillis
      const id = SecureRandom.uuidV4Unsafe()
      const client = new ServedClient(id, introduction, own, { registry, substitute, room, now, onNews })
      yield* Scope.addFinalizer(own, Effect.sync(client.results.clear))
      const others = [...clients.values()].filter((other) => other.client.caller.id === introduction.caller.id)
      if (others.length >= MOST_OF_CALLER) yield* end(leastMissed(others)?.client.id ?? "")
      clients.set(id, client)
      yield* tell
      return client
    }),
    seen: (client) => {
      client.lastSeen = clock.currentTimeMillisUnsafe()
    },
    during: (client, { channel, tool: { name, server } }, run) =>
      Effect.suspend(() => {
        const open = { server, channel }
        client.called(name)
        client.open.push(open)
        changed.openUnsafe()
        return Effect.onExitPrimitive(run, () => {
          client.open.splice(client.open.indexOf(open), 1)
          changed.openUnsafe()
          return undefined
        })
      }),
    find: (id) => clients.get(id) ?? null,
    all: () => [...clients.values()],
    end,
    changes: Stream.concat(Stream.succeed(undefined), Stream.fromPubSub(told))
  }
})

/** The one that was silent for longest: one without a call and a stream, where there is one. */
const leastMissed = (clients: ReadonlyArray<ServedClient>): ServedClient | undefined =>
  clients.toSorted((one, other) => Number(one.isBusy) - Number(other.isBusy) || one.lastSeen - other.lastSeen)[0]
