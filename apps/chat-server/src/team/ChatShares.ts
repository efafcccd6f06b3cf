/** Links with which other people of this server read a chat. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { UsersFailed } from "../users/UserError.ts"
import * as UserRows from "../users/UserRows.ts"

/** A chat and the link to it. */
export interface ChatShare {
  /** Cannot be guessed: the end of the link. */
  readonly id: string
  readonly chat: string
  readonly created: string
}

/** There is no such link any more. */
export class UnknownShare extends Schema.TaggedError<UnknownShare>()("UnknownShare", {}) {
  override readonly message: string = "nobody shows a chat under this link"
  readonly hint: string = "its owner may have taken it back: ask for a new one"
}

type Stored<A, E = never> = Effect.Effect<A, E | UsersFailed>

export class ChatShares extends Context.Service<ChatShares, {
  /** The link to a chat, made where there is none. Gives null for a chat that is not there. */
  readonly share: (chat: string) => Stored<ChatShare | null>
  /** Does nothing for a chat without a link. */
  readonly takeBack: (chat: string) => Stored<void>
  /** Those of a person, the newest first. */
  readonly all: (owner: string) => Stored<ReadonlyArray<ChatShare>>
  /** The chat behind a link, and whose it is. */
  readonly find: (id: string) => Stored<{ readonly chat: string; readonly owner: string }, UnknownShare>
}>()("chat-server/ChatShares") {
  static readonly layer: Layer.Layer<ChatShares, never, SqlClient.SqlClient> = Layer.effect(
    ChatShares,
    Effect.map(SqlClient.SqlClient, (sql) => make(sql))
  )

  static readonly layerNone = Layer.succeed(ChatShares, {
    share: () => Effect.succeed(null),
    takeBack: () => Effect.void,
    all: () => Effect.succeed([]),
    find: () => Effect.fail(new UnknownShare())
  })
}

const make = (sql: SqlClient.SqlClient) => {
  const of = (chat: string) =>
    Effect.map(
      sql<ChatShare>`SELECT id, chat, created_at AS created FROM chat_shares WHERE chat = ${chat}`,
      ([row]) => row ?? null
    )
  const share = Effect.fnUntraced(function*(chat: string) {
    yield* sql`
      INSERT INTO chat_shares (id, chat, created_at)
      SELECT ${UserRows.newId()}, id, ${yield* UserRows.after()} FROM chats WHERE id = ${chat}
      ON CONFLICT (chat) DO NOTHING`
    return yield* of(chat)
  })
  const find = Effect.fnUntraced(function*(id: string) {
    const [row] = yield* sql<{ chat: string; owner: string }>`
      SELECT chat, owner FROM chat_shares JOIN chats ON chats.id = chat WHERE chat_shares.id = ${id}`
    return row ?? (yield* new UnknownShare())
  })
  return ChatShares.of({
    share: (chat) => UserRows.asked("share", share(chat)),
    takeBack: (chat) => Effect.asVoid(UserRows.asked("take back", sql`DELETE FROM chat_shares WHERE chat = ${chat}`)),
    all: (owner) =>
      UserRows.asked(
        "list shares",
        sql<ChatShare>`
          SELECT chat_shares.id AS id, chat, created_at AS created FROM chat_shares JOIN chats ON chats.id = chat
          WHERE owner = ${owner} ORDER BY created_at DESC, chat_shares.id`
      ),
    find: (id) => UserRows.asked("look up a share", find(id))
  })
}
