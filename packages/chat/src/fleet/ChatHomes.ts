/** Where the chats of a fleet are: each at one node at a time, which runs its turns. */
import type * as ClusterError from "effect/cluster/ClusterError"
import * as Entity from "effect/cluster/Entity"
import * as EntityId from "effect/cluster/EntityId"
import * as Sharding from "effect/cluster/Sharding"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as RpcClient from "effect/rpc/RpcClient"
import type * as Scope from "effect/Scope"
import type { ChatHome } from "./ChatHome.ts"
import { ChatRpcs } from "./ChatRpcs.ts"

/** The node of a chat cannot be asked. */
export type HomeTrouble =
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.PersistenceError
  | ClusterError.EntityNotAssignedToRunner

export interface Homes {
  /** Asks the node of a chat, wherever that is. One that dies meanwhile is asked again at its next node. */
  readonly of: (chat: string) => RpcClient.RpcClient.From<ChatRpcs, HomeTrouble>
  /** Whether a chat belongs to this node now. */
  readonly isHere: (chat: string) => Effect.Effect<boolean>
}

export class ChatHomes extends Context.Service<ChatHomes, {
  /**
   * This node takes its share of the chats until the scope closes. `open` runs when the first request for a chat comes
   * here; its scope closes before the chat goes to another node.
   */
  readonly join: (
    open: (chat: string) => Effect.Effect<ChatHome, never, Scope.Scope>
  ) => Effect.Effect<Homes, never, Scope.Scope>
}>()("chat/ChatHomes") {
  /** Chats as entities of a cluster. */
  static readonly layer: Layer.Layer<ChatHomes, never, Sharding.Sharding> = Layer.effect(
    ChatHomes,
    Effect.map(Effect.context<Sharding.Sharding>(), (services) => ({
      join: Effect.fnUntraced(function*(open) {
        const sharding = yield* Sharding.Sharding
        yield* Layer.build(entityLayer(open))
        return {
          of: yield* ChatEntity.client,
          isHere: (chat: string) => Effect.map(shardOf(chat), sharding.hasShardId).pipe(Effect.provideContext(services))
        }
      }, Effect.provideContext(services))
    }))
  )
}

const ChatEntity = Entity.fromRpcGroup("Chat", ChatRpcs)

/** A chat that nobody asks for leaves memory after this; one that works is asked all the time. */
const IDLE = "1 minute"

const entityLayer = (open: (chat: string) => Effect.Effect<ChatHome, never, Scope.Scope>) =>
  ChatEntity.toLayer(
    Effect.gen(function*() {
      const { entityId } = yield* Entity.CurrentAddress
      const home = yield* open(entityId)
      return ChatEntity.of({
        send: ({ payload }) => home.send(payload),
        update: ({ payload }) => home.update(payload),
        fork: ({ payload }) => home.fork(payload),
        remove: ({ payload }) => home.remove(payload),
        waiting: ({ payload }) => home.waiting(payload),
        editWaiting: ({ payload }) => home.editWaiting(payload),
        hurry: ({ payload }) => home.hurry(payload),
        drop: ({ payload }) => home.drop(payload),
        editSummary: ({ payload }) => home.editSummary(payload),
        stop: ({ payload }) => home.stop(payload),
        answer: ({ payload }) => home.answer(payload),
        reply: ({ payload }) => home.reply(payload),
        work: () => home.work()
      })
    }),
    { concurrency: "unbounded", maxIdleTime: IDLE }
  )

const shardOf = (chat: string) => ChatEntity.getShardId(EntityId.make(chat))
