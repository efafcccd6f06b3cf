/** The shared part of the tables of people: their rows, secrets of which the hash is kept, and how failures are told. */
import { AwayDatabase, FIRST, User } from "@boocode/chat"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { createHash, randomBytes } from "node:crypto"
import { UsersFailed } from "./UserError.ts"

/** How long the database may take. */
const LIMIT = "15 seconds"

export interface UserRow {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly groups: string
}

const Row = Schema.Struct({ ...User.fields, groups: Schema.fromJsonString(User.fields.groups) })

const decodeRow = Schema.decodeUnknownEffect(Row)

/** The person of a row. */
export const userOf = ({ groups, id, name, role }: UserRow): Effect.Effect<User, Schema.SchemaError> =>
  decodeRow({ groups, id, name, role })

export const groupsText = (groups: ReadonlyArray<string>): string => JSON.stringify([...new Set(groups)].toSorted())

/** Bounded, and failing with what a person can use. */
export const asked = <A, E, R>(operation: string, effect: Effect.Effect<A, E | SqlError | Schema.SchemaError, R>) =>
  effect.pipe(
    Effect.timeoutOrElse({
      duration: LIMIT,
      orElse: () => Effect.fail(new UsersFailed({ operation, why: `no answer within ${LIMIT}` }))
    }),
    Effect.catchIf(
      isOfDatabase,
      (error) => Effect.fail(new UsersFailed({ operation, why: error.message, cause: error }))
    )
  )

/** A read, which waits as long for a database that is away. */
export const read = <A, E, R>(operation: string, effect: Effect.Effect<A, E | SqlError | Schema.SchemaError, R>) =>
  asked(operation, AwayDatabase.patiently(effect))

const isOfDatabase = (error: unknown): error is SqlError | Schema.SchemaError =>
  typeof error === "object" && error !== null && "_tag" in error &&
  (error._tag === "SqlError" || error._tag === "SchemaError")

/** A secret that nobody guesses, after a prefix that says what it is for. */
export const newSecret = (prefix = ""): Redacted.Redacted<string> =>
  Redacted.make(`${prefix}${randomBytes(32).toString("base64url")}`)

/** A secret of ours is random and long, so a plain hash tells nothing of it. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url")

/** The id of a row, which lets nobody in. */
export const newId = (): string => randomBytes(12).toString("base64url")

/** Now, and so much later, as the tables have it: sorted as texts they are sorted by time. */
export const after = (time: Duration.Input = Duration.zero): Effect.Effect<string> =>
  Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.addDuration(now, time)))

/**
 * The people of these who are there; all of them where there is nobody, on a server of one person. In a transaction they stay
 * until it ends, so that nothing is kept for somebody who is being removed.
 */
export const present = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) {
  const held = sql.literal(sql.onDialectOrElse({ pg: () => "FOR KEY SHARE", orElse: () => "" }))
  const rows = yield* sql<{ id: string }>`SELECT id FROM users WHERE ${sql.in("id", ids)} ${held}`
  const [anybody] = rows.length > 0 ? rows : yield* sql`SELECT 1 FROM users LIMIT 1`
  return new Set(anybody === undefined ? ids : rows.map(({ id }) => id))
})

/** Names that only differ in case or in the way of their letters are one. */
export const keyOf = (name: string): string => name.normalize("NFKC").toLowerCase()

/** The id of a new person: the first admin gets the chats that are there already. */
export const idOf = (role: User["role"], hasAdmin: boolean): string =>
  role === "admin" && !hasAdmin ? FIRST.id : newId()
