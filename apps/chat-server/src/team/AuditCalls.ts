/** The calls of everybody, in the database: who called what, from where, with which outcome and whose yes. */
import type { Audit } from "@boocode/chat"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { UsersFailed } from "../users/UserError.ts"
import * as UserRows from "../users/UserRows.ts"

/** A call with the time at which it was over. */
export type TimedCall = Audit.AuditedCall & { readonly at: string }

/** A call as it is kept. */
export interface KeptCall {
  /** Later ones have a higher one. */
  readonly id: number
  /** When it was over: an ISO time in UTC. */
  readonly at: string
  readonly owner: string
  /** The name of the person; null where nobody has one. */
  readonly user: string | null
  readonly tool: string
  readonly server: string | null
  readonly class: string
  readonly origin: string
  readonly place: string | null
  readonly outcome: string
  readonly allowedBy: string
  readonly source: string
  readonly millis: number
}

/** Which calls; a key that is left out leaves out none. */
export interface Wanted {
  readonly owner?: string | undefined
  readonly tool?: string | undefined
  readonly server?: string | undefined
  readonly class?: string | undefined
  readonly origin?: string | undefined
  readonly outcome?: string | undefined
  /** ISO times. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** Those before the call with this id. */
  readonly before?: number | undefined
}

export type CallColumn = "day" | "owner" | "server" | "tool"

/** Calls that were made, and how they came out. */
export interface Called {
  readonly calls: number
  readonly failed: number
  readonly refused: number
  /** How long those took that were made, together. */
  readonly millis: number
}

/** The name is empty for the built-in tools, which are of no server. */
export type NamedCalls = Called & { readonly name: string }

/** The calls of a server in one slot of time, those that were made. */
export interface SlotCalls {
  /** When the slot begins: an ISO time in UTC. */
  readonly from: string
  readonly calls: number
  /** Those without an answer among them. */
  readonly failed: number
  /** Half of them took at most so long, and 95 of 100. */
  readonly p50: number
  readonly p95: number
  readonly slowest: number
}

type Stored<A> = Effect.Effect<A, UsersFailed>

export class AuditCalls extends Context.Service<AuditCalls, {
  /** All or none, but those of people who are gone. */
  readonly add: (calls: ReadonlyArray<TimedCall>) => Stored<void>
  /** The newest first. */
  readonly list: (wanted: Wanted, limit: number) => Stored<ReadonlyArray<KeptCall>>
  /** The calls since a day, by day, owner, server or tool, the most called first; null is those of everybody. */
  readonly by: (column: CallColumn, since: string, owner: string | null) => Stored<ReadonlyArray<NamedCalls>>
  /** The calls of a server since an ISO time, in slots of a quarter of an hour or an hour; null is those of everybody. */
  readonly slots: (
    server: string,
    since: string,
    minutes: 15 | 60,
    owner: string | null
  ) => Stored<ReadonlyArray<SlotCalls>>
  /** Removes what was before this ISO time. */
  readonly tidy: (before: string) => Stored<void>
  /** Removes the calls of somebody who is gone. */
  readonly forget: (owner: string) => Stored<void>
}>()("chat-server/AuditCalls") {
  static readonly layer: Layer.Layer<AuditCalls, never, SqlClient.SqlClient> = Layer.effect(
    AuditCalls,
    Effect.map(SqlClient.SqlClient, (sql) => make(sql))
  )

  static readonly layerNone = Layer.succeed(AuditCalls, {
    add: () => Effect.void,
    list: () => Effect.succeed([]),
    by: () => Effect.succeed([]),
    slots: () => Effect.succeed([]),
    tidy: () => Effect.void,
    forget: () => Effect.void
  })
}

const make = (sql: SqlClient.SqlClient) => {
  const conditions = ({ before, since, until, ...equal }: Wanted) => [
    sql`1 = 1`,
    ...Object.entries(equal).flatMap(([key, value]) => value === undefined ? [] : [sql`${sql(key)} = ${value}`]),
    ...before === undefined ? [] : [sql`audit_calls.id < ${before}`],
    ...since === undefined ? [] : [sql`at >= ${since}`],
    ...until === undefined ? [] : [sql`at < ${until}`]
  ]
  return AuditCalls.of({
    add: (calls) =>
      calls.length === 0 ? Effect.void : UserRows.asked(
        "note calls",
        sql.withTransaction(Effect.gen(function*() {
          const owners = yield* UserRows.present(sql, [...new Set(calls.map(({ owner }) => owner))])
          const kept = calls.filter(({ owner }) => owners.has(owner))
          if (!Arr.isReadonlyArrayNonEmpty(kept)) return
          yield* sql`INSERT INTO audit_calls ${
            sql.insert(Arr.map(kept, ({ permission, ...call }) => ({
              ...call,
              millis: Math.round(call.millis),
              allowed_by: permission.by,
              source: permission.source
            })))
          }`
        }))
      ),
    list: (wanted, limit) =>
      UserRows.asked(
        "list calls",
        sql<KeptCall>`
          SELECT audit_calls.id AS id, at, owner, users.name AS "user", tool, server, class, origin, place, outcome,
            allowed_by AS "allowedBy", source, millis
          FROM audit_calls LEFT JOIN users ON users.id = owner
          WHERE ${sql.and(conditions(wanted))} ORDER BY audit_calls.id DESC LIMIT ${limit}`
      ),
    by: (column, since, owner) => {
      const name = column === "day" ? sql.literal("SUBSTR(at, 1, 10)") : sql`COALESCE(${sql(column)}, '')`
      const many = (outcome: string) =>
        sql.literal(`CAST(SUM(CASE WHEN outcome = '${outcome}' THEN 1 ELSE 0 END) AS INTEGER)`)
      return UserRows.asked(
        "count calls",
        sql<NamedCalls>`
          SELECT ${name} AS name, CAST(COUNT(*) AS INTEGER) AS calls, ${many("failed")} AS failed,
            ${many("refused")} AS refused, CAST(SUM(millis) AS DOUBLE PRECISION) AS millis
          FROM audit_calls WHERE at >= ${since} ${owner === null ? sql.literal("") : sql`AND owner = ${owner}`}
          GROUP BY 1 ORDER BY calls DESC`
      )
    },
    slots: (server, since, minutes, owner) => {
      const quarter = sql.literal(minutes === 60 ? "0" : "CAST(SUBSTR(at, 15, 2) AS INTEGER) / 15")
      return UserRows.asked(
        "count calls",
        Effect.map(
          sql<Omit<SlotCalls, "from"> & { readonly hour: string; readonly quarter: number }>`
            SELECT hour, quarter, CAST(COUNT(*) AS INTEGER) AS calls,
              CAST(SUM(CASE WHEN outcome = 'done' THEN 0 ELSE 1 END) AS INTEGER) AS failed,
              MIN(CASE WHEN place * 2 >= many THEN millis END) AS p50,
              MIN(CASE WHEN place * 20 >= many * 19 THEN millis END) AS p95, MAX(millis) AS slowest
            FROM (
              SELECT hour, quarter, outcome, millis,
                ROW_NUMBER() OVER (PARTITION BY hour, quarter ORDER BY millis) AS place,
                COUNT(*) OVER (PARTITION BY hour, quarter) AS many
              FROM (
                SELECT SUBSTR(at, 1, 13) AS hour, ${quarter} AS quarter, outcome, millis FROM audit_calls
                WHERE server = ${server} AND at >= ${since} AND outcome <> 'refused'
                  ${owner === null ? sql.literal("") : sql`AND owner = ${owner}`}) AS made) AS placed
            GROUP BY hour, quarter ORDER BY hour, quarter`,
          (rows) =>
            rows.map(({ hour, quarter, ...slot }) => ({
              from: `${hour}:${String(quarter * 15).padStart(2, "0")}:00.000Z`,
              ...slot
            }))
        )
      )
    },
    tidy: (before) => Effect.asVoid(UserRows.asked("tidy calls", sql`DELETE FROM audit_calls WHERE at < ${before}`)),
    forget: (owner) => Effect.asVoid(UserRows.asked("forget", sql`DELETE FROM audit_calls WHERE owner = ${owner}`))
  })
}
