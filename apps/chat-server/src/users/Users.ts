/** The people of this server: nobody until the first one is added, and then each with a name, a role and groups. */
import { FIRST, type User } from "@boocode/chat"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as PasswordHash from "./PasswordHash.ts"
import { InvitationEnded, type UnknownUser, unknownUser, UserRefused, type UsersFailed } from "./UserError.ts"
import * as UserRows from "./UserRows.ts"

/** A person as admins see them. */
export interface KnownUser extends User {
  readonly created: string
  readonly hasPassword: boolean
  /** Whether an identity provider or a proxy says who they are. */
  readonly isFromProvider: boolean
  /** Until when their invitation can be used; null without one. */
  readonly invitedUntil: string | null
  /** When one of their sessions was last used, within a few minutes; null when none is left. */
  readonly lastSeen: string | null
}

export interface Invited {
  readonly user: User
  readonly token: Redacted.Redacted<string>
  readonly until: string
}

/** The person that an identity provider or a proxy names. */
export interface Identity {
  /** Never another's at the same provider. */
  readonly subject: string
  readonly name: string
  readonly role: User["role"]
  readonly groups: ReadonlyArray<string>
}

type Stored<A, E = never> = Effect.Effect<A, E | UsersFailed>

export class Users extends Context.Service<Users, {
  /**
   * Whether there are any. Another program that adds the first one is noticed within a second, or as soon as a database
   * answers that was away for 15 s at most.
   */
  readonly areThere: Stored<boolean>
  readonly all: Stored<ReadonlyArray<KnownUser>>
  /** The commands of this machine and the server's own token act for this person: the first admin. */
  readonly first: Stored<User>
  /** Null for somebody who is gone. */
  readonly withId: (id: string) => Stored<User | null>
  /** Adds somebody, who has no password yet but an invitation. The first one is an admin, and gets the chats there are. */
  readonly add: (user: Pick<User, "name" | "role" | "groups">) => Stored<Invited, UserRefused>
  readonly change: (
    name: string,
    change: Partial<Pick<User, "role" | "groups">>
  ) => Stored<User, UnknownUser | UserRefused>
  /** Removes somebody with their sessions, tokens and invitation. The last admin stays. */
  readonly remove: (name: string) => Stored<User, UnknownUser | UserRefused>
  /** Makes a new invitation, which ends the one before. */
  readonly invite: (name: string) => Stored<Invited, UnknownUser>
  /** The person an invitation is for; null when it ended. */
  readonly invitation: (token: string) => Stored<{ readonly user: User; readonly until: string } | null>
  /** Uses an invitation up. A password replaces the one before, and ends the sessions that it began. */
  readonly accept: (token: string, password: Redacted.Redacted<string> | null) => Stored<User, InvitationEnded>
  /** The person with this name and password; null for any other pair, after the same time. */
  readonly signIn: (name: string, password: Redacted.Redacted<string>) => Stored<User | null>
  /** Replaces the password of a person who is signed in. */
  readonly setPassword: (id: string, password: Redacted.Redacted<string>) => Stored<void>
  /** The person that a provider names, added or brought up to date. The last admin stays one. */
  readonly identified: (identity: Identity) => Stored<User, UserRefused>
}>()("chat-server/Users") {
  static readonly layer: Layer.Layer<Users, never, SqlClient.SqlClient> = Layer.effect(
    Users,
    Effect.suspend(() => make)
  )

  /** Where nothing is kept: there is nobody, and nobody can be added. */
  static readonly layerNone = Layer.sync(Users, () => {
    const refused = () =>
      Effect.fail(
        new UserRefused({
          message: "nobody can be added while nothing is kept",
          hint: "see why the database cannot be used"
        })
      )
    return Users.of({
      areThere: Effect.succeed(false),
      all: Effect.succeed([]),
      first: Effect.succeed(FIRST),
      withId: () => Effect.succeed(null),
      add: refused,
      change: (name) => Effect.fail(unknownUser(name, [])),
      remove: (name) => Effect.fail(unknownUser(name, [])),
      invite: (name) => Effect.fail(unknownUser(name, [])),
      invitation: () => Effect.succeed(null),
      accept: () => Effect.fail(new InvitationEnded()),
      signIn: () => Effect.succeed(null),
      setPassword: () => Effect.void,
      identified: refused
    })
  })
}

const INVITATION = Duration.days(7)

/** How long that nobody is there is believed without asking again, and while the database does not answer. */
const BELIEVED_MILLIS = 1000
const BELIEVED_AWAY_MILLIS = 15_000
const LOOK_LIMIT = "2 seconds"

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._@+'-]{0,63}$/u

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const passwords = yield* PasswordHash.make
  // Two admins who make members of each other at once would leave none.
  const held = sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE", orElse: () => "" }))
  const adminIds = Effect.map(
    sql<{ id: string }>`SELECT id FROM users WHERE role = 'admin' ORDER BY created_at, id ${held}`,
    (rows) => rows.map(({ id }) => id)
  )
  const rowNamed = Effect.fnUntraced(function*(name: string) {
    const [row] = yield* sql<UserRows.UserRow>`
      SELECT id, name, role, groups FROM users WHERE name_key = ${UserRows.keyOf(name)} OR id = ${name}`
    if (row !== undefined) return yield* UserRows.userOf(row)
    const names = yield* sql<{ name: string }>`SELECT name FROM users`
    return yield* unknownUser(name, names.map((one) => one.name))
  })
  const insert = Effect.fnUntraced(function*(
    { groups, name, role }: Pick<User, "name" | "role" | "groups">,
    subject: string | null
  ) {
    if (!NAME.test(name)) return yield* badName(name)
    const id = UserRows.idOf(role, (yield* adminIds).length > 0)
    const [added] = yield* sql<UserRows.UserRow>`
      INSERT INTO users ${
      sql.insert({
        id,
        name,
        name_key: UserRows.keyOf(name),
        role,
        groups: UserRows.groupsText(groups),
        password: null,
        subject,
        created_at: yield* UserRows.after()
      })
    } ON CONFLICT (name_key) DO NOTHING RETURNING id, name, role, groups`
    return added === undefined ? yield* nameTaken(name) : yield* UserRows.userOf(added)
  })
  const invite = Effect.fnUntraced(function*(user: User) {
    const token = UserRows.newSecret()
    const until = yield* UserRows.after(INVITATION)
    yield* sql`
      INSERT INTO user_invitations ${sql.insert({ user_id: user.id, hash: hashed(token), until })}
      ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, until = excluded.until`
    return { user, token, until }
  })
  /** An admin who goes or becomes a member leaves another one. */
  const leaving = Effect.fnUntraced(function*({ id, name }: User) {
    const admins = yield* adminIds
    if (admins.length === 1 && admins[0] === id) return yield* lastAdmin(name)
  })
  const update = ({ groups, id, role }: User) =>
    sql`UPDATE users SET role = ${role}, groups = ${UserRows.groupsText(groups)} WHERE id = ${id}`
  const invitation = Effect.fnUntraced(function*(token: string) {
    const [row] = yield* sql<UserRows.UserRow & { until: string }>`
      SELECT users.id, name, role, groups, until FROM user_invitations JOIN users ON users.id = user_id
      WHERE hash = ${UserRows.hashOf(token)} AND until > ${yield* UserRows.after()}`
    return row === undefined ? null : { user: yield* UserRows.userOf(row), until: row.until }
  })
  const withSubject = Effect.fnUntraced(function*(subject: string) {
    const [row] = yield* sql<UserRows.UserRow>`SELECT id, name, role, groups FROM users WHERE subject = ${subject}`
    return row === undefined ? null : yield* UserRows.userOf(row)
  })
  const setPassword = Effect.fnUntraced(function*(id: string, hash: string) {
    yield* sql`UPDATE users SET password = ${hash} WHERE id = ${id}`
    yield* sql`DELETE FROM user_sessions WHERE user_id = ${id}`
  })
  const one = <A, E>(operation: string, effect: Effect.Effect<A, E>) =>
    UserRows.asked(operation, sql.withTransaction(effect))
  let absentAt = -Infinity
  let isOn = false
  const look = Effect.fnUntraced(function*(now: number) {
    const asked = UserRows.read("look", sql`SELECT 1 FROM users LIMIT 1`)
    const found = yield* now - absentAt > BELIEVED_AWAY_MILLIS
      ? asked
      : Effect.orElseSucceed(Effect.timeout(asked, LOOK_LIMIT), () => null)
    if (found === null) return isOn
    isOn = found.length > 0
    absentAt = now
    return isOn
  })
  return Users.of({
    areThere: Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => isOn || now - absentAt < BELIEVED_MILLIS ? Effect.succeed(isOn) : look(now)
    ),
    all: UserRows.asked(
      "list",
      Effect.gen(function*() {
        const rows = yield* sql<KnownRow>`
          SELECT id, name, role, groups, created_at AS created, password IS NOT NULL AS has_password,
            subject IS NOT NULL AS is_from_provider,
            (SELECT until FROM user_invitations WHERE user_id = users.id) AS invited_until,
            (SELECT MAX(last_used) FROM user_sessions WHERE user_id = users.id) AS last_seen
          FROM users ORDER BY name_key`
        const now = yield* UserRows.after()
        return yield* Effect.forEach(rows, (row) => Effect.map(UserRows.userOf(row), (user) => known(user, row, now)))
      })
    ),
    first: UserRows.read(
      "first",
      Effect.gen(function*() {
        const [row] = yield* sql<UserRows.UserRow>`
          SELECT id, name, role, groups FROM users WHERE role = 'admin'
          ORDER BY CASE WHEN id = ${FIRST.id} THEN 0 ELSE 1 END, created_at, id LIMIT 1`
        return row === undefined ? FIRST : yield* UserRows.userOf(row)
      })
    ),
    withId: (id) =>
      UserRows.read(
        "look up",
        Effect.gen(function*() {
          const [row] = yield* sql<UserRows.UserRow>`SELECT id, name, role, groups FROM users WHERE id = ${id}`
          return row === undefined ? null : yield* UserRows.userOf(row)
        })
      ),
    add: (given) =>
      one(
        "add",
        Effect.gen(function*() {
          const [anybody] = yield* sql`SELECT 1 FROM users LIMIT 1`
          const user = yield* insert(anybody === undefined ? { ...given, role: "admin" } : given, null)
          isOn = true
          return yield* invite(user)
        })
      ),
    change: (name, change) =>
      one(
        "change",
        Effect.gen(function*() {
          const user = yield* rowNamed(name)
          if (user.role === "admin" && change.role === "member") yield* leaving(user)
          const changed = { ...user, ...change }
          yield* update(changed)
          return changed
        })
      ),
    remove: (name) =>
      one(
        "remove",
        Effect.gen(function*() {
          const user = yield* rowNamed(name)
          if (user.role === "admin") yield* leaving(user)
          yield* sql`DELETE FROM user_secrets WHERE user_id = ${user.id}`
          yield* sql`DELETE FROM users WHERE id = ${user.id}`
          return user
        })
      ),
    invite: (name) => one("invite", Effect.flatMap(rowNamed(name), invite)),
    invitation: (token) => UserRows.asked("look up an invitation", invitation(token)),
    accept: Effect.fnUntraced(function*(token, password) {
      const hash = password === null ? null : yield* passwords.of(password)
      return yield* one(
        "accept an invitation",
        Effect.gen(function*() {
          const found = yield* invitation(token)
          if (found === null) return yield* new InvitationEnded()
          const [used] = yield* sql`DELETE FROM user_invitations WHERE hash = ${UserRows.hashOf(token)} RETURNING hash`
          if (used === undefined) return yield* new InvitationEnded()
          if (hash !== null) yield* setPassword(found.user.id, hash)
          return found.user
        })
      )
    }),
    signIn: Effect.fnUntraced(function*(name, password) {
      const [row] = yield* UserRows.asked(
        "sign in",
        sql<UserRows.UserRow & { password: string | null }>`
          SELECT id, name, role, groups, password FROM users WHERE name_key = ${UserRows.keyOf(name)}`
      )
      const isRight = yield* passwords.isRight(password, row?.password ?? null)
      return isRight && row !== undefined ? yield* UserRows.asked("sign in", UserRows.userOf(row)) : null
    }),
    setPassword: Effect.fnUntraced(function*(id, password) {
      const hash = yield* passwords.of(password)
      yield* one("set a password", setPassword(id, hash))
    }),
    identified: Effect.fnUntraced(function*(identity) {
      const standing = yield* UserRows.asked("sign in", withSubject(identity.subject))
      if (standing !== null && isSame(standing, identity)) return standing
      return yield* one(
        "sign in",
        Effect.gen(function*() {
          isOn = true
          const before = yield* withSubject(identity.subject)
          if (before === null) return yield* insert(identity, identity.subject)
          const isKept = before.role === "admin" && identity.role === "member" &&
            (yield* Effect.isFailure(leaving(before)))
          const user = { ...before, role: isKept ? before.role : identity.role, groups: identity.groups }
          yield* update(user)
          return user
        })
      )
    })
  })
})

const isSame = (user: User, { groups, role }: Identity): boolean =>
  user.role === role && UserRows.groupsText(user.groups) === UserRows.groupsText(groups)

interface KnownRow extends UserRows.UserRow {
  readonly created: string
  readonly has_password: number | boolean
  readonly is_from_provider: number | boolean
  readonly invited_until: string | null
  readonly last_seen: string | null
}

const known = (user: User, row: KnownRow, now: string): KnownUser => ({
  ...user,
  created: row.created,
  hasPassword: Boolean(row.has_password),
  isFromProvider: Boolean(row.is_from_provider),
  invitedUntil: row.invited_until !== null && row.invited_until > now ? row.invited_until : null,
  lastSeen: row.last_seen
})

const hashed = (token: Redacted.Redacted<string>): string => UserRows.hashOf(Redacted.value(token))

const badName = (name: string) =>
  new UserRefused({
    message: `${JSON.stringify(name.slice(0, 80))} is no name for a person`,
    hint: "take 64 letters, digits, spaces or ._@+'- at most, the first a letter or digit"
  })

const nameTaken = (name: string) =>
  new UserRefused({ message: `somebody is called ${name} already`, hint: "take another name" })

const lastAdmin = (name: string) =>
  new UserRefused({
    message: `${name} is the only admin, and without one nobody could change anything`,
    hint: "make another person an admin first: boocode users role NAME admin"
  })
