/** Tokens with which programs act for a person: the command line, an MCP client. The hash alone is kept. */
import type { User } from "@boocode/chat"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { NotYours, UserRefused, type UsersFailed } from "./UserError.ts"
import * as UserRows from "./UserRows.ts"

/** The rights of a token's holder: a person's own things, the tools at `/mcp`, and the additional rights of an admin. */
export const Scope = Schema.Literals(["chat", "gateway", "admin"])
export type Scope = typeof Scope.Type

/** All tokens of people begin so. */
const PREFIX = "boou_"

const isToken = (text: string): boolean => text.startsWith(PREFIX)

export interface UserToken {
  readonly id: string
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly created: string
  readonly lastUsed: string | null
}

type Stored<A, E = never> = Effect.Effect<A, E | UsersFailed>

export class UserTokens extends Context.Service<UserTokens, {
  /** Makes one. It is given here and never again. */
  readonly add: (
    user: string,
    name: string,
    scopes: ReadonlyArray<Scope>
  ) => Stored<{ readonly token: UserToken; readonly secret: Redacted.Redacted<string> }, UserRefused>
  /** The person whose token this is, and its scopes; null for another text. */
  readonly find: (secret: string) => Stored<{ readonly user: User; readonly scopes: ReadonlyArray<Scope> } | null>
  /** Sorted by name. */
  readonly all: (user: string) => Stored<ReadonlyArray<UserToken>>
  readonly remove: (user: string, id: string) => Stored<void, NotYours>
  /** Takes a token back that somebody shows. Another text is none. */
  readonly end: (secret: string) => Stored<void>
}>()("chat-server/UserTokens") {
  static readonly layer: Layer.Layer<UserTokens, never, SqlClient.SqlClient> = Layer.effect(
    UserTokens,
    Effect.map(SqlClient.SqlClient, (sql) => make(sql))
  )

  static readonly layerNone = Layer.succeed(UserTokens, {
    add: () =>
      Effect.fail(new UserRefused({ message: "nothing is kept", hint: "see why the database cannot be used" })),
    find: () => Effect.succeed(null),
    all: () => Effect.succeed([]),
    remove: () => Effect.fail(unknown),
    end: () => Effect.void
  })
}

const MOST = 100

const unknown = new NotYours({
  message: "you have no such token",
  hint: "it may be gone already; the list of your tokens shows those there are"
})

const Scopes = Schema.fromJsonString(Schema.Array(Scope))
const decodeScopes = Schema.decodeEffect(Scopes)

const make = (sql: SqlClient.SqlClient) => {
  const add = Effect.fnUntraced(function*(user: string, name: string, scopes: ReadonlyArray<Scope>) {
    const standing = yield* sql<{ name: string }>`SELECT name FROM user_tokens WHERE user_id = ${user}`
    const why = refusal(name, standing.map((one) => one.name))
    if (why !== null) return yield* why
    const secret = UserRows.newSecret(PREFIX)
    const token = { id: UserRows.newId(), name, scopes, created: yield* UserRows.after(), lastUsed: null }
    yield* sql`INSERT INTO user_tokens ${
      sql.insert({
        id: token.id,
        user_id: user,
        hash: UserRows.hashOf(Redacted.value(secret)),
        name,
        scopes: JSON.stringify(scopes),
        created_at: token.created,
        last_used: null
      })
    }`
    return { token, secret }
  })
  /** The hour of the last use is enough, so not every request writes. */
  const used = Effect.fnUntraced(function*(id: string, lastUsed: string | null) {
    const hour = (yield* UserRows.after()).slice(0, 13)
    if (lastUsed === null || lastUsed.slice(0, 13) < hour) {
      yield* sql`UPDATE user_tokens SET last_used = ${yield* UserRows.after()} WHERE id = ${id}`
    }
  })
  const find = Effect.fnUntraced(function*(secret: string) {
    if (!isToken(secret)) return null
    const [row] = yield* sql<UserRows.UserRow & { token: string; scopes: string; last_used: string | null }>`
      SELECT users.id, users.name, role, groups, user_tokens.id AS token, scopes, last_used
      FROM user_tokens JOIN users ON users.id = user_id WHERE hash = ${UserRows.hashOf(secret)}`
    if (row === undefined) return null
    yield* used(row.token, row.last_used)
    return { user: yield* UserRows.userOf(row), scopes: yield* decodeScopes(row.scopes) }
  })
  const all = Effect.fnUntraced(function*(user: string) {
    const rows = yield* sql<Omit<UserToken, "scopes"> & { scopes: string }>`
      SELECT id, name, scopes, created_at AS created, last_used AS "lastUsed" FROM user_tokens
      WHERE user_id = ${user} ORDER BY name`
    return yield* Effect.forEach(
      rows,
      (row) => Effect.map(decodeScopes(row.scopes), (scopes): UserToken => ({ ...row, scopes }))
    )
  })
  const remove = Effect.fnUntraced(function*(user: string, id: string) {
    const [removed] = yield* sql`DELETE FROM user_tokens WHERE id = ${id} AND user_id = ${user} RETURNING id`
    if (removed === undefined) return yield* unknown
  })
  return UserTokens.of({
    add: (user, name, scopes) => UserRows.asked("add a token", sql.withTransaction(add(user, name, scopes))),
    find: (secret) => UserRows.read("look up a token", find(secret)),
    all: (user) => UserRows.asked("list tokens", all(user)),
    remove: (user, id) => UserRows.asked("remove a token", remove(user, id)),
    end: (secret) =>
      UserRows.asked(
        "take a token back",
        Effect.asVoid(sql`DELETE FROM user_tokens WHERE hash = ${UserRows.hashOf(secret)}`)
      )
  })
}

const refusal = (name: string, names: ReadonlyArray<string>): UserRefused | null => {
  if (name.trim() === "" || name.length > 64) {
    return new UserRefused({ message: "a token needs a name of 64 characters at most", hint: "name what uses it" })
  }
  if (names.includes(name)) {
    return new UserRefused({ message: `you have a token called ${name} already`, hint: "take another name" })
  }
  return names.length < MOST ? null : new UserRefused({
    message: `you have ${MOST} tokens already`,
    hint: "remove those that are not needed any more"
  })
}
