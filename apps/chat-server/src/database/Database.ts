/** Where the chats and the people of this program are kept: in a file of the state folder, or in PostgreSQL when `DATABASE_URL` says so. */
import { type ChatStore, ChatStoreFailed, type ChatStoreUnusable, MemoryChatStore, SqlChatStore } from "@boocode/chat"
import { Environment } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { DataFolder } from "../settings/DataFolder.ts"
import * as TeamDatabase from "../team/TeamDatabase.ts"
import { SecretKey } from "../users/SecretKey.ts"
import * as UserDatabase from "../users/UserDatabase.ts"
import { FILE, type Purpose } from "./DatabasePurpose.ts"
import * as SqliteFile from "./SqliteFile.ts"

export class Database extends Context.Service<Database, {
  readonly kind: "sqlite" | "postgres" | "memory"
  /** Its file, or its address without user and password. */
  readonly name: string
  /** Asks it something that costs nothing; fails within 2 s. */
  readonly check: Effect.Effect<void, ChatStoreFailed>
}>()("chat-server/Database") {
  /** The database, and the chats and people in it. Fails when it cannot be used. */
  static readonly layer = (purpose: Purpose) =>
    Layer.unwrap(Effect.gen(function*() {
      const { variables } = yield* Environment
      const url = (variables["DATABASE_URL"] ?? "").trim()
      return url === "" ? yield* sqlite(purpose) : postgres(Redacted.make(url, { label: "DATABASE_URL" }), purpose)
    }))
}

const sqlite = Effect.fnUntraced(function*(purpose: Purpose) {
  const path = yield* Path.Path
  const { state } = yield* DataFolder
  const file = path.join(state, FILE)
  const kept = over("sqlite", file).pipe(Layer.provide(SqliteFile.layer(file, purpose)))
  return purpose !== "command"
    ? kept
    : Layer.catch(
      kept,
      (error): Layer.Layer<
        ChatStore | Database | UserDatabase.UserDatabase | TeamDatabase.TeamDatabase,
        ChatStoreUnusable
      > => error.isOutOfReach ? forgetting(error) : Layer.effectContext(Effect.fail(error))
    )
})

/** The driver of PostgreSQL is loaded where it is used. */
const postgres = (url: Redacted.Redacted, purpose: Purpose) =>
  Layer.unwrap(Effect.map(Effect.promise(() => import("./Postgres.ts")), (Postgres) => {
    const name = Postgres.nameOf(url)
    return over("postgres", name).pipe(Layer.provide(Postgres.layer(url, purpose)))
  }))

const over = (kind: "sqlite" | "postgres", name: string) =>
  Layer.mergeAll(
    TeamDatabase.layer(name).pipe(Layer.provideMerge(SqlChatStore.layer(name))),
    Layer.provide(UserDatabase.layer(name), SecretKey.layer),
    Layer.effect(Database, Effect.map(SqlClient.SqlClient, checked(kind, name)))
  )

const CHECK_LIMIT = "2 seconds"

const checked = (kind: "sqlite" | "postgres", name: string) => (sql: SqlClient.SqlClient) =>
  Database.of({
    kind,
    name,
    check: sql`SELECT 1`.pipe(
      Effect.mapError((cause) => new ChatStoreFailed({ operation: "check", why: cause.message, cause })),
      Effect.timeoutOrElse({
        duration: CHECK_LIMIT,
        orElse: () => Effect.fail(new ChatStoreFailed({ operation: "check", why: `no answer within ${CHECK_LIMIT}` }))
      }),
      Effect.asVoid
    )
  })

const forgetting = ({ message }: ChatStoreUnusable) =>
  Layer.mergeAll(
    MemoryChatStore.layer,
    UserDatabase.layerNone,
    TeamDatabase.layerNone,
    Layer.effect(
      Database,
      Effect.as(
        Effect.logWarning(`this chat is not kept: ${message}`),
        Database.of({ kind: "memory", name: "memory", check: Effect.void })
      )
    )
  )
