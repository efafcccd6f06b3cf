/** The values that people give for `${user:NAME}` in entries, sealed. Nothing but the servers of their owner gets one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import { SecretKey } from "./SecretKey.ts"
import { NotYours, UserRefused, type UsersFailed } from "./UserError.ts"
import * as UserRows from "./UserRows.ts"

/** A value without the value. */
export interface UserSecret {
  readonly name: string
  readonly updated: string
}

/** Tells the other nodes of a fleet whose values changed. Null in a program that is no node. */
export class SecretTidings extends Context.Reference<
  {
    readonly tell: (user: string) => Effect.Effect<void>
    readonly heard: Stream.Stream<string>
  } | null
>("chat-server/SecretTidings", { defaultValue: () => null }) {}

type Stored<A, E = never> = Effect.Effect<A, E | UsersFailed>

export class UserSecrets extends Context.Service<UserSecrets, {
  /** Sorted by name. */
  readonly all: (user: string) => Stored<ReadonlyArray<UserSecret>>
  /** Keeps a value in place of the one before. */
  readonly set: (user: string, name: string, value: Redacted.Redacted<string>) => Stored<UserSecret, UserRefused>
  readonly remove: (user: string, name: string) => Stored<void, NotYours>
  /** The values themselves. One that cannot be opened is left out, and the log says so. */
  readonly values: (user: string) => Stored<Readonly<Record<string, Redacted.Redacted<string>>>>
  /** The ids of people whose values this program changed, or another node of its fleet, from subscription on. */
  readonly changes: Stream.Stream<string>
}>()("chat-server/UserSecrets") {
  static readonly layer: Layer.Layer<UserSecrets, never, SecretKey | SqlClient.SqlClient> = Layer.effect(
    UserSecrets,
    Effect.suspend(() => make)
  )

  static readonly layerNone = Layer.succeed(UserSecrets, {
    all: () => Effect.succeed([]),
    set: () =>
      Effect.fail(new UserRefused({ message: "nothing is kept", hint: "see why the database cannot be used" })),
    remove: () => Effect.fail(unknown),
    values: () => Effect.succeed({}),
    changes: Stream.empty
  })
}

const MOST = 200
const LONGEST = 10_000

const unknown = new NotYours({
  message: "you have no such secret",
  hint: "boocode mcp secret list, and Your account on the page, show the names of those you have"
})

const gone = new UserRefused({ message: "you were removed", hint: "ask an admin for an invitation" })

/** The place that a sealed value belongs to. */
const placeOf = (user: string, name: string): string => JSON.stringify([user, name])

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { open, seal } = yield* SecretKey
  const changed = yield* PubSub.unbounded<string>()
  const tidings = yield* SecretTidings
  const all = (user: string) =>
    sql<UserSecret>`
      SELECT name, updated_at AS updated FROM user_secrets WHERE user_id = ${user} ORDER BY name`
  const set = Effect.fnUntraced(function*(user: string, name: string, value: Redacted.Redacted<string>) {
    if (!(yield* UserRows.present(sql, [user])).has(user)) return yield* gone
    const standing = yield* all(user)
    const why = refusal(name, Redacted.value(value), standing)
    if (why !== null) return yield* why
    const sealed = yield* seal(value, placeOf(user, name))
    const updated = yield* UserRows.after()
    yield* sql`
      INSERT INTO user_secrets ${sql.insert({ user_id: user, name, sealed, updated_at: updated })}
      ON CONFLICT (user_id, name) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at`
    return { name, updated }
  })
  const remove = Effect.fnUntraced(function*(user: string, name: string) {
    const [removed] = yield* sql`DELETE FROM user_secrets WHERE user_id = ${user} AND name = ${name} RETURNING name`
    if (removed === undefined) return yield* unknown
  })
  const values = Effect.fnUntraced(function*(user: string) {
    const rows = yield* sql<{ name: string; sealed: string }>`
      SELECT name, sealed FROM user_secrets WHERE user_id = ${user}`
    const opened = yield* Effect.forEach(
      rows,
      ({ name, sealed }) =>
        Effect.flatMap(open(sealed, placeOf(user, name)), (value) =>
          value === null
            ? Effect.as(Effect.logWarning(`a value ${name} cannot be opened: another key sealed it`), [])
            : Effect.succeed([[name, value] as const]))
    )
    return Object.fromEntries(opened.flat())
  })
  const told = (user: string) => Effect.andThen(PubSub.publish(changed, user), tidings?.tell(user) ?? Effect.void)
  return UserSecrets.of({
    all: (user) => UserRows.asked("list secrets", all(user)),
    set: (user, name, value) =>
      Effect.tap(UserRows.asked("keep a secret", sql.withTransaction(set(user, name, value))), () => told(user)),
    remove: (user, name) => Effect.tap(UserRows.asked("remove a secret", remove(user, name)), () => told(user)),
    values: (user) => UserRows.read("read secrets", values(user)),
    changes: Stream.merge(Stream.fromPubSub(changed), tidings?.heard ?? Stream.empty)
  })
})

const refusal = (name: string, value: string, standing: ReadonlyArray<UserSecret>): UserRefused | null => {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name)) {
    return new UserRefused({
      message: "this is not the name of a secret",
      hint: "take the NAME of ${user:NAME} in the entry: letters, digits and _"
    })
  }
  if (value.trim() === "" || value.length > LONGEST) {
    return new UserRefused({
      message: `a secret has 1 to ${LONGEST} characters`,
      hint: "paste it as the service gave it to you"
    })
  }
  return standing.length < MOST || standing.some((one) => one.name === name) ? null : new UserRefused({
    message: `you have ${MOST} secrets already`,
    hint: "remove those that are not needed any more"
  })
}
