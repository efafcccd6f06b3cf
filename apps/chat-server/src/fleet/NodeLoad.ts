/** The servers and chats that this node owns now. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

export class NodeLoad extends Context.Service<NodeLoad, {
  /** By name; two entries of one name may stand there while one replaces the other. */
  readonly servers: () => ReadonlyArray<string>
  readonly chats: () => number
  /** Counts a server for as long as the scope is open. */
  readonly server: (name: string) => Effect.Effect<void, never, Scope.Scope>
  /** Counts a chat for as long as the scope is open. */
  readonly chat: Effect.Effect<void, never, Scope.Scope>
}>()("chat-server/NodeLoad") {
  static readonly layer = Layer.sync(NodeLoad, () => {
    const servers = new Set<{ readonly name: string }>()
    const chats = new Set<object>()
    const during = <A>(all: Set<A>, one: () => A) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => {
          const item = one()
          all.add(item)
          return item
        }),
        (item) => Effect.sync(() => void all.delete(item))
      ))
    return {
      servers: () => [...servers].map(({ name }) => name).toSorted(),
      chats: () => chats.size,
      server: (name) => during(servers, () => ({ name })),
      chat: during(chats, () => ({}))
    }
  })
}
