/** The chats in PostgreSQL: the connections, and what is said when there are none. */
import { ChatStoreUnusable, ChatWriter } from "@boocode/chat"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { randomUUID } from "node:crypto"
import type { Purpose } from "./DatabasePurpose.ts"

/** How long a database that is down is waited for. */
const PATIENCE = { server: Duration.seconds(30), node: Duration.seconds(30), command: Duration.seconds(5) }

/** The last attempt may take so long. */
const LAST_ATTEMPT = Duration.seconds(6)

/** Attachments are one message of the database each. */
const MESSAGE_BYTES = 256 * 1024 * 1024

/** A pool of connections, and who writes. */
export const layer = (url: Redacted.Redacted, purpose: Purpose) =>
  Layer.provideMerge(writers(purpose), layerPool(url, purpose))

/** A pool of connections, made when they are needed, closed with the layer. */
export const layerPool = (url: Redacted.Redacted, purpose: Purpose = "server") =>
  isAddress(url)
    ? client(url).pipe(Layer.tap((services) => Effect.provideContext(reached(url, purpose), services)))
    : Layer.effect(SqlClient.SqlClient, Effect.fail(noAddress()))

const client = (url: Redacted.Redacted) =>
  PgClient.layer({
    url,
    applicationName: "boocode",
    connectTimeout: "5 seconds",
    keepAlive: "30 seconds",
    idleTimeout: "60 seconds",
    maxMessageSize: MESSAGE_BYTES
  }).pipe(Layer.catch((error) => Layer.effect(SqlClient.SqlClient, Effect.fail(unreachable(url, error)))))

const addressOf = (url: Redacted.Redacted): URL | null => URL.parse(Redacted.value(url))

const isAddress = (url: Redacted.Redacted): boolean => /^postgres(ql)?:$/.test(addressOf(url)?.protocol ?? "")

/** Without user, password and options. */
export const nameOf = (url: Redacted.Redacted): string => {
  const address = addressOf(url)
  return address === null ? "DATABASE_URL" : `${address.protocol}//${address.host}${address.pathname}`
}

const reached = (url: Redacted.Redacted, purpose: Purpose) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`).pipe(
    Effect.tapError((error) => Effect.logDebug(`${nameOf(url)} cannot be reached yet: ${error.message}`)),
    Effect.retry({
      schedule: Schedule.spaced("500 millis").pipe(Schedule.upTo({ duration: PATIENCE[purpose] })),
      while: ({ isRetryable }) => isRetryable
    }),
    Effect.mapError((error) => unreachable(url, error)),
    Effect.timeoutOrElse({
      duration: Duration.sum(PATIENCE[purpose], LAST_ATTEMPT),
      orElse: () => Effect.fail(unreachable(url, { message: "it does not answer" }))
    })
  )

const unreachable = (url: Redacted.Redacted, error: { readonly message: string }) =>
  new ChatStoreUnusable({
    database: nameOf(url),
    why: reasonOf(error),
    hint: "see that PostgreSQL runs there and that DATABASE_URL has the right user, password and database",
    isOutOfReach: true,
    cause: error
  })

const noAddress = () =>
  new ChatStoreUnusable({
    database: "DATABASE_URL",
    why: "it is not an address of PostgreSQL",
    hint: "write it as postgres://USER:PASSWORD@HOST:5432/DATABASE, or unset it to keep chats in a file",
    isOutOfReach: false
  })

const reasonOf = (error: { readonly message: string; readonly cause?: unknown }): string => {
  if (!(error.cause instanceof Error)) return error.message
  return error.cause.message === "" ? error.message : reasonOf(error.cause)
}

/** Each program holds a lock of the database, which releases it when the connection ends, however it ends. */
const writers = (purpose: Purpose) =>
  Layer.effect(
    ChatWriter,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const id = randomUUID()
      const locked = yield* Deferred.make<void>()
      yield* Effect.forkScoped(Effect.retry(held(sql, id, locked), Schedule.spaced("1 second")))
      yield* Deferred.await(locked)
      return {
        id,
        recovers: purpose !== "command",
        isFenced: purpose === "node",
        // When in doubt it lives. A node takes over the chats that come to it from any other.
        isAlive: (other: string) =>
          purpose === "node" ? Effect.succeed(false) : Effect.orElseSucceed(isLocked(sql, other), () => true)
      }
    })
  )

/** On a connection of its own; a lost one is looked after twice a minute and replaced. */
const held = (sql: SqlClient.SqlClient, id: string, locked: Deferred.Deferred<void>): Effect.Effect<never, SqlError> =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* sql.reserve
    yield* Effect.acquireRelease(
      connection.execute("SELECT pg_advisory_lock(hashtextextended($1, 0))", [id], undefined),
      // The end of a connection is noticed a little later, and who comes next would take this program for alive.
      () =>
        connection.execute("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [id], undefined).pipe(
          Effect.timeoutOption("1 second"),
          Effect.ignore
        )
    )
    yield* Deferred.succeed(locked, undefined)
    return yield* Effect.forever(
      Effect.andThen(Effect.sleep("30 seconds"), connection.execute("SELECT 1", [], undefined))
    )
  }))

const isLocked = (sql: SqlClient.SqlClient, id: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql<{ free: boolean }>`SELECT pg_try_advisory_xact_lock(hashtextextended(${id}, 0)) AS free`,
    ([row]) => row?.free === false
  )
