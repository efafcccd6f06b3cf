/** Where chats are kept. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import type { ChatKeeping } from "./ChatKeeping.ts"
import type { ChatStoreUnusable } from "./ChatStoreFailed.ts"
import * as MemoryChatStore from "./MemoryChatStore.ts"
import * as Migrations from "./Migrations.ts"
import * as SqlChatStore from "./SqlChatStore.ts"

export { ChatStoreFailed, ChatStoreUnusable } from "./ChatStoreFailed.ts"

/**
 * Keeps chats. Writes to one chat come one after the other, from one writer; a write to a chat that was removed does
 * nothing. Who was answered may rely on it: what was written is there after the program was killed. After a crash the
 * last turn may lack its end: readers must not count on a `finish` part.
 */
export class ChatStore extends Context.Service<ChatStore, ChatKeeping>()("chat/ChatStore") {
  /** Keeps chats in memory, for as long as the program runs. */
  static readonly layerMemory: Layer.Layer<ChatStore> = Layer.sync(ChatStore, MemoryChatStore.make)

  /**
   * Keeps chats in a database, SQLite or PostgreSQL, whose tables are brought up to date first. `database` is what
   * errors call it. When several programs use it, `ChatStoreFailed` tells them apart.
   */
  static readonly layerSql = (database: string): Layer.Layer<ChatStore, ChatStoreUnusable, SqlClient.SqlClient> =>
    Layer.effect(ChatStore, Effect.andThen(Migrations.run(database), SqlChatStore.make))
}
