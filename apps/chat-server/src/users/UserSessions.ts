/** The sessions of people in browsers. A browser keeps the secret in a cookie, the database its hash. */
import type { User } from "@boocode/chat"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { NotYours, type UsersFailed } from "./UserError.ts"
import * as UserRows from "./UserRows.ts"

/** A session ends when it was not used for so long. */
export const LIFE = Duration.days(30)

/** How exact the time of the last use is: not every request writes. */
const EXACT = Duration.minutes(5)

/** The session that was used longest ago goes when there are more. */
const MOST = 50

export interface UserSession {
  /** Lets nobody in. */
  readonly id: string
  /** The browser's own name. */
  readonly device: string
  readonly created: string
  readonly lastUsed: string
}

type Stored<A, E = never> = Effect.Effect<A, E | UsersFailed>

export class UserSessions extends Context.Service<UserSessions, {
  /** Begins one, and gives the secret of its cookie. */
  readonly begin: (user: string, device: string) => Stored<Redacted.Redacted<string>>
  /** The session with this secret, which is used by that; null for one that ended. */
  readonly find: (secret: string) => Stored<{ readonly user: User; readonly id: string } | null>
  /** The last used first. */
  readonly all: (user: string) => Stored<ReadonlyArray<UserSession>>
  readonly end: (user: string, id: string) => Stored<void, NotYours>
}>()("chat-server/UserSessions") {
  static readonly layer: Layer.Layer<UserSessions, never, SqlClient.SqlClient> = Layer.effect(
    UserSessions,
    Effect.map(SqlClient.SqlClient, (sql) => make(sql))
  )

  static readonly layerNone = Layer.succeed(UserSessions, {
    begin: () => Effect.succeed(Redacted.make("")),
    find: () => Effect.succeed(null),
    all: () => Effect.succeed([]),
    end: () => Effect.fail(unknown)
  })
}

const unknown = new NotYours({
  message: "you have no such session",
  hint: "it may have ended; the list of your sessions shows those there are"
})

const make = (sql: SqlClient.SqlClient) => {
  const tidy = Effect.fnUntraced(function*(user: string, now: string) {
    yield* sql`DELETE FROM user_sessions WHERE until <= ${now}`
    yield* sql`
      DELETE FROM user_sessions WHERE user_id = ${user} AND id NOT IN (
        SELECT id FROM user_sessions WHERE user_id = ${user} ORDER BY last_used DESC, id LIMIT ${MOST - 1})`
  })
  const begin = Effect.fnUntraced(function*(user: string, device: string) {
    const secret = UserRows.newSecret()
    const now = yield* UserRows.after()
    yield* tidy(user, now)
    yield* sql`INSERT INTO user_sessions ${
      sql.insert({
        id: UserRows.newId(),
        user_id: user,
        hash: UserRows.hashOf(Redacted.value(secret)),
        device: device.slice(0, 300),
        created_at: now,
        last_used: now,
        until: yield* UserRows.after(LIFE)
      })
    }`
    return secret
  })
  const used = Effect.fnUntraced(function*(id: string, lastUsed: string) {
    const now = yield* DateTime.now
    const isExact = Duration.isLessThan(DateTime.distance(DateTime.makeUnsafe(lastUsed), now), EXACT)
    if (isExact) return
    yield* sql`
      UPDATE user_sessions SET last_used = ${yield* UserRows.after()}, until = ${yield* UserRows.after(LIFE)}
      WHERE id = ${id}`
  })
  const find = Effect.fnUntraced(function*(secret: string) {
    if (secret === "") return null
    const [row] = yield* sql<UserRows.UserRow & { session: string; last_used: string }>`
      SELECT users.id, name, role, groups, user_sessions.id AS session, last_used
      FROM user_sessions JOIN users ON users.id = user_id
      WHERE hash = ${UserRows.hashOf(secret)} AND until > ${yield* UserRows.after()}`
    if (row === undefined) return null
    yield* used(row.session, row.last_used)
    return { user: yield* UserRows.userOf(row), id: row.session }
  })
  const end = Effect.fnUntraced(function*(user: string, id: string) {
    const [ended] = yield* sql`DELETE FROM user_sessions WHERE id = ${id} AND user_id = ${user} RETURNING id`
    if (ended === undefined) return yield* unknown
  })
  return UserSessions.of({
    begin: (user, device) => UserRows.asked("begin a session", sql.withTransaction(begin(user, device))),
    find: (secret) => UserRows.read("look up a session", find(secret)),
    all: (user) =>
      UserRows.asked(
        "list sessions",
        Effect.flatMap(UserRows.after(), (now) =>
          sql<UserSession>`
            SELECT id, device, created_at AS created, last_used AS "lastUsed" FROM user_sessions
            WHERE user_id = ${user} AND until > ${now} ORDER BY last_used DESC, id`)
      ),
    end: (user, id) => UserRows.asked("end a session", end(user, id))
  })
}
