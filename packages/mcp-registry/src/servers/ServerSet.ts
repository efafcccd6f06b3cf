/** The servers that there are, and how another configuration changes them: only what changed is touched. */
import type * as Connect from "@boocode/mcp-client/Connect"
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ServerNews from "../model/ServerNews.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import * as ServerGeneration from "./ServerGeneration.ts"
import * as ServerSlot from "./ServerSlot.ts"

/** The changes of a configuration: names of servers, each list sorted. */
export interface Applied {
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  /** Servers that are made anew, enabled or disabled. Where they are not ready yet they are on their way. */
  readonly changed: ReadonlyArray<string>
  /** Servers that run on as they did: the same process, the same connection. */
  readonly unchanged: ReadonlyArray<string>
}

export interface ServerSet {
  /** Sorted by name. */
  readonly all: () => ReadonlyArray<ServerSlot.ServerSlot>
  readonly find: (name: string) => ServerSlot.ServerSlot | undefined
  readonly names: () => ReadonlyArray<string>
  /**
   * Makes the servers what these entries say. Answers at once: new servers connect by themselves, old ones
   * close by themselves. `all` are the names on which those of tools depend; by default those of the entries. Run it one at a
   * time, and uninterruptible.
   */
  readonly apply: (
    entries: ReadonlyArray<ConfiguredServer>,
    all?: ReadonlyArray<string>
  ) => Effect.Effect<Applied>
  /** The status of a server at each change, from subscription on. */
  readonly events: Listening<ServerStatus>
  /** The news that servers tell on their own, from subscription on. */
  readonly news: Listening<ServerNews.ServerNews>
}

/** Subscribes at once; the subscription ends with the scope. */
export type Listening<A> = Effect.Effect<Stream.Stream<A>, never, Scope.Scope>

/** No servers yet. Those to come close with the scope, which closes in parallel. */
export const make = Effect.fnUntraced(function*(
  scope: Scope.Scope,
  searchAfterPath: ReadonlyArray<string>
): Effect.fn.Return<ServerSet, never, Connect.Requirements> {
  // A server sends so many log messages in a second at most, and a subscriber only passes them on.
  const said = yield* PubSub.unbounded<ServerNews.ServerNews>()
  const context = Context.add(
    yield* Effect.context<Connect.Requirements>(),
    ServerNews.Listener,
    (news) => void PubSub.publishUnsafe(said, news)
  )
  // A listener that is late misses the oldest: the newest status says all there is to know.
  const told = yield* PubSub.sliding<ServerStatus>(1024)
  // One fiber publishes for all servers: one for each would take 4 KB.
  const news = yield* Queue.unbounded<ServerStatus>()
  const published = Effect.flatMap(Queue.takeAll(news), (statuses) => PubSub.publishAll(told, statuses))
  yield* Effect.forkIn(Effect.forever(published), scope)
  const slots = new Map<string, ServerSlot.ServerSlot>()
  let names: ReadonlyArray<string> = []
  let sorted: ReadonlyArray<ServerSlot.ServerSlot> = []

  /** Servers outlive the caller that asked for the change, so they run in the context of the registry. */
  const inOwnContext = <A, E>(effect: Effect.Effect<A, E, Connect.Requirements>): Effect.Effect<A, E> =>
    Effect.updateContext(effect, () => context)
  const options: ServerSlot.Options = {
    start: (entry, log) => inOwnContext(ServerGeneration.start(entry, { servers: names, searchAfterPath, log }, scope)),
    inBackground: (effect) => Effect.asVoid(inOwnContext(Effect.forkIn(effect, scope, { startImmediately: true }))),
    publish: (status) => Queue.offerUnsafe(news, status)
  }
  const remove = Effect.fnUntraced(function*(slot: ServerSlot.ServerSlot) {
    slots.delete(slot.name)
    yield* slot.remove
    yield* Effect.logInfo(`${slot.name}: stopped, it is not configured any more`)
  })
  const add = Effect.fnUntraced(function*(entry: ConfiguredServer) {
    slots.set(entry.name, yield* ServerSlot.make(options, entry))
  })
  const apply = Effect.fnUntraced(function*(entries: ReadonlyArray<ConfiguredServer>, all?: ReadonlyArray<string>) {
    const wanted = entries.map(({ name }) => name).sort()
    const removed = sorted.filter(({ name }) => !wanted.includes(name))
    yield* Effect.forEach(removed, remove)
    const known = all ?? wanted
    if (!Equal.equals(names, known)) names = known
    // Those that stay make room before others come, so that no name of a tool is there twice at any time.
    yield* Effect.forEach([...slots.values()], (slot) => slot.rename(names))
    const outcomes = yield* Effect.forEach(entries, (entry) =>
      Effect.gen(function*() {
        const slot = slots.get(entry.name)
        if (slot !== undefined) return { name: entry.name, is: (yield* slot.take(entry)) ? "changed" : "unchanged" }
        yield* add(entry)
        return { name: entry.name, is: "added" }
      }))
    sorted = wanted.flatMap((name) => slots.get(name) ?? [])
    const those = (word: string) => outcomes.filter(({ is }) => is === word).map(({ name }) => name).sort()
    return {
      added: those("added"),
      removed: removed.map(({ name }) => name),
      changed: those("changed"),
      unchanged: those("unchanged")
    }
  })
  return {
    all: () => sorted,
    find: (name) => slots.get(name),
    names: () => names,
    apply,
    events: Effect.map(PubSub.subscribe(told), Stream.fromSubscription),
    news: Effect.map(PubSub.subscribe(said), Stream.fromSubscription)
  }
})
