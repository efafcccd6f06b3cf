/** Nodes of a fleet in one process, over one store in memory: a test says where chats are, and which tidings arrive. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as RpcTest from "effect/rpc/RpcTest"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ChatHome } from "../../src/fleet/ChatHome.ts"
import { ChatHomes, type Homes } from "../../src/fleet/ChatHomes.ts"
import { ChatRpcs } from "../../src/fleet/ChatRpcs.ts"
import { ChatTidings, type Tiding } from "../../src/fleet/ChatTidings.ts"
import { type ChatStore, ChatStoreFailed } from "../../src/store/ChatStore.ts"
import * as Chatting from "./Chatting.ts"

type Store = ChatStore["Service"]
type Client = ReturnType<Homes["of"]>

/** A chat as a node has it open. */
interface Open {
  readonly client: Client
  readonly scope: Scope.Closeable
}

interface Node {
  readonly name: string
  open: (chat: string) => Effect.Effect<ChatHome, never, Scope.Scope>
  readonly chats: Map<string, Open>
  readonly heard: Queue.Queue<Tiding>
  readonly died: Deferred.Deferred<void>
  isDead: boolean
}

/** What every write needs. */
const WRITES = ["put", "putTurn", "removeTurn", "append", "putPart", "putFile", "removeFile", "remove"] as const

export const make = Effect.gen(function*() {
  const store = yield* Chatting.newStore
  const writers = new Map<string, string>()
  const nodes: Array<Node> = []
  const assigned = new Map<string, Node>()
  /** Which tidings arrive, and whether the requests that wait for a chat to be idle do. */
  const way = { arrives: (_: Tiding): ReadonlyArray<Tiding> => [_], isWorkLate: false }

  const homeOf = (chat: string): Node => {
    const before = assigned.get(chat)
    if (before !== undefined && !before.isDead) return before
    const node = nodes.find(({ isDead }) => !isDead)
    if (node === undefined) throw new Error("every node is dead")
    assigned.set(chat, node)
    return node
  }

  const opened = Effect.fnUntraced(function*(node: Node, chat: string) {
    const before = node.chats.get(chat)
    if (before !== undefined) return before
    const scope = yield* Scope.make()
    const home = yield* Scope.provide(node.open(chat), scope)
    const client: Client = yield* RpcTest.makeClient(ChatRpcs).pipe(
      Effect.provide(ChatRpcs.toLayer(home)),
      Scope.provide(scope)
    )
    const open = { client, scope }
    node.chats.set(chat, open)
    return open
  })

  /** Asks again at the next node when the one that was asked dies, as the engine of a cluster does. */
  const asking = (chat: string, name: keyof Client, payload: unknown): Effect.Effect<unknown, unknown> =>
    Effect.suspend(() => {
      if (name === "work" && way.isWorkLate) return Effect.never
      const node = homeOf(chat)
      return Effect.flatMap(opened(node, chat), ({ client }) =>
        Effect.raceFirst(
          (client[name] as (payload: unknown) => Effect.Effect<unknown, unknown>)(payload),
          Effect.andThen(Deferred.await(node.died), Effect.suspend(() => asking(chat, name, payload)))
        ))
    })

  const of = (chat: string): Client =>
    Object.fromEntries(
      [...ChatRpcs.requests.keys()].map((name) => [
        name,
        (payload: unknown) => asking(chat, name as keyof Client, payload)
      ])
    ) as unknown as Client

  /** The store as a node sees it: it writes only to chats that it claimed last. */
  const seenBy = (node: Node): Store => {
    const fenced = Object.fromEntries(WRITES.map((name) => [
      name,
      (first: string | { readonly id: string }, ...rest: ReadonlyArray<unknown>) =>
        Effect.suspend(() => {
          const id = typeof first === "string" ? first : first.id
          const writer = writers.get(id) ?? node.name
          if (node.isDead || writer !== node.name) {
            return Effect.fail(new ChatStoreFailed({ operation: name, why: `${writer} goes on with it` }))
          }
          return (store[name] as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(first, ...rest)
        })
    ])) as unknown as Pick<Store, typeof WRITES[number]>
    return { ...store, ...fenced, claim: (id) => Effect.sync(() => void writers.set(id, node.name)) }
  }

  const start = Effect.fnUntraced(function*(name: string, setup: Chatting.Setup) {
    const node: Node = {
      name,
      open: () => Effect.die("not yet"),
      chats: new Map(),
      heard: yield* Queue.unbounded<Tiding>(),
      died: yield* Deferred.make<void>(),
      isDead: false
    }
    const homes = Layer.succeed(ChatHomes, {
      join: (open) =>
        Effect.sync(() => {
          node.open = open
          nodes.push(node)
          return { of, isHere: (chat: string) => Effect.sync(() => !node.isDead && homeOf(chat) === node) }
        })
    })
    const tidings = Layer.succeed(ChatTidings, {
      tell: (tiding) => {
        if (node.isDead) return
        for (const told of way.arrives(tiding)) {
          for (const other of nodes) if (other !== node) Queue.offerUnsafe(other.heard, told)
        }
      },
      heard: Stream.fromQueue(node.heard)
    })
    const started = yield* Chatting.start({ ...setup, store: seenBy(node), fleet: Layer.merge(homes, tidings) })
    return { ...started, node }
  })

  return {
    store,
    way,
    start,
    /** Puts a chat at a node, before anybody asks for it. */
    place: (chat: string, node: Node) => void assigned.set(chat, node),
    /** Moves a chat in good order, as when a node joins or leaves. */
    move: Effect.fnUntraced(function*(chat: string, to: Node) {
      const from = homeOf(chat)
      const open = from.chats.get(chat)
      from.chats.delete(chat)
      if (open !== undefined) yield* Scope.close(open.scope, Exit.void)
      assigned.set(chat, to)
    }),
    /** Moves a chat while its node is frozen: that goes on later as if nothing had happened. */
    steal: (chat: string, to: Node) => void assigned.set(chat, to),
    /** Nothing that the node does from now on is seen by anybody. */
    kill: (node: Node) =>
      Effect.suspend(() => {
        node.isDead = true
        return Deferred.succeed(node.died, undefined)
      })
  }
})

export type SimulatedFleet = Effect.Success<typeof make>
