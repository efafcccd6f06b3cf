/** When each MCP server became ready, failed, was started again or stopped, in the database. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { UsersFailed } from "../users/UserError.ts"
import * as UserRows from "../users/UserRows.ts"

/** `ready`: it can be called. `restarted`: its process had died and is started again. */
const KINDS = ["ready", "restarted", "failed", "stopped"] as const

export interface ServerEvent {
  readonly server: string
  /** The id of the person whose server it is; null for a server that all share. */
  readonly owner: string | null
  readonly kind: (typeof KINDS)[number]
  /** The name of the error of a server that failed, such as `CrashLoop`; null for all else. */
  readonly reason: string | null
}

/** An event with its time: an ISO time in UTC. */
export type KeptEvent = Omit<ServerEvent, "server" | "owner"> & { readonly at: string }

/** For so long they are kept. */
const DAYS = 8

/** The nodes of a fleet tell of the same server at nearly the same time. */
const SAME_SECONDS = 5

const MOST = 500

type Stored<A> = Effect.Effect<A, UsersFailed>

export class ServerEvents extends Context.Service<ServerEvents, {
  /** Adds what happens now; nothing where the same was told within 5 seconds. */
  readonly add: (event: ServerEvent) => Stored<void>
  /** The last 500 since an ISO time, in their order: those of this person's own server, and of the one that all share. */
  readonly list: (
    server: string,
    since: string,
    of: { readonly owner: string; readonly isShared: boolean }
  ) => Stored<ReadonlyArray<KeptEvent>>
  /** Removes those that are older than 8 days. */
  readonly tidy: Stored<void>
}>()("chat-server/ServerEvents") {
  static readonly layer: Layer.Layer<ServerEvents, never, SqlClient.SqlClient> = Layer.effect(
    ServerEvents,
    Effect.map(SqlClient.SqlClient, (sql) => make(sql))
  )

  static readonly layerNone = Layer.succeed(ServerEvents, {
    add: () => Effect.void,
    list: () => Effect.succeed([]),
    tidy: Effect.void
  })
}

const make = (sql: SqlClient.SqlClient) =>
  ServerEvents.of({
    add: ({ kind, owner, reason, server }) =>
      UserRows.asked(
        "note servers",
        Effect.gen(function*() {
          const now = yield* DateTime.now
          const near = DateTime.formatIso(DateTime.subtract(now, { seconds: SAME_SECONDS }))
          yield* sql`
            INSERT INTO server_events (at, server, owner, kind, reason)
            SELECT ${DateTime.formatIso(now)}, ${server}, ${owner ?? ""}, ${kind}, ${reason} WHERE NOT EXISTS (
              SELECT 1 FROM server_events
              WHERE server = ${server} AND owner = ${owner ?? ""} AND kind = ${kind} AND at > ${near})`
        })
      ),
    list: (server, since, { isShared, owner }) =>
      UserRows.asked(
        "list events",
        Effect.map(
          sql<KeptEvent>`
            SELECT at, kind, reason FROM server_events
            WHERE server = ${server} AND owner IN (${owner}, ${isShared ? "" : owner}) AND at >= ${since}
            ORDER BY at DESC, id DESC LIMIT ${MOST}`,
          (rows) => rows.toReversed()
        )
      ),
    tidy: UserRows.asked(
      "tidy events",
      Effect.flatMap(DateTime.now, (now) => {
        const oldest = DateTime.formatIso(DateTime.subtract(now, { days: DAYS }))
        return sql`DELETE FROM server_events WHERE at < ${oldest}`
      })
    )
  })
