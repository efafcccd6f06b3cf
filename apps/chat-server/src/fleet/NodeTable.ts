/** The table of nodes: what each of them says of itself, and which of them an operator drains. */
import { VERSION } from "@boocode/mcp-client/Version"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { FleetSettings } from "./FleetSettings.ts"

/** A row, as its node wrote it. */
export interface NodeRow {
  readonly address: string
  readonly version: string
  /** In UTC, as ISO 8601 writes it. */
  readonly since: string
  readonly draining: boolean
  readonly servers: ReadonlyArray<string>
  readonly chats: number
  readonly shards: number
  /** Seconds since its node wrote it. */
  readonly age: number
}

export type Owned = Pick<NodeRow, "servers" | "chats" | "shards">

export class NodeTable extends Context.Service<NodeTable, {
  /** This node. */
  readonly self: string
  /** Writes what this node owns, and reads which nodes are drained. */
  readonly beat: (owned: Owned) => Effect.Effect<void, SqlError>
  readonly all: Effect.Effect<ReadonlyArray<NodeRow>, SqlError>
  /** Marks a node, until it is started again. */
  readonly drain: (address: string) => Effect.Effect<void, SqlError>
  /** Whether a node was drained at the last beat. */
  readonly isDraining: (address: string) => boolean
}>()("chat-server/NodeTable") {
  /** The row of this node is new with the layer and gone after it. That of a killed node stays for an hour. */
  static readonly layer = Layer.effect(
    NodeTable,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { host, port } = yield* FleetSettings
      const self = `${host}:${port}`
      let draining: ReadonlySet<string> = new Set()
      const enter = sql`
        INSERT INTO fleet_nodes (address, version) VALUES (${self}, ${VERSION})
        ON CONFLICT (address) DO UPDATE
        SET version = excluded.version, since = now(), seen = now(), draining = false, servers = '[]', chats = 0, shards = 0`
      yield* Effect.orDie(Effect.andThen(tables(sql), enter))
      yield* Effect.addFinalizer(() =>
        sql`DELETE FROM fleet_nodes WHERE address = ${self} OR seen < now() - interval '1 hour'`.pipe(
          Effect.timeoutOption("1 second"),
          Effect.ignore
        )
      )
      return {
        self,
        beat: Effect.fnUntraced(function*({ chats, servers, shards }) {
          const rows = yield* sql<{ address: string }>`
            WITH own AS (
              UPDATE fleet_nodes SET seen = now(), servers = ${
            JSON.stringify(servers)
          }, chats = ${chats}, shards = ${shards}
              WHERE address = ${self}
            )
            SELECT address FROM fleet_nodes WHERE draining`
          draining = new Set(rows.map(({ address }) => address))
        }),
        all: Effect.map(
          sql<Omit<NodeRow, "servers"> & { readonly servers: string }>`
            SELECT address, version, draining, servers, chats, shards,
              to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since,
              extract(epoch FROM now() - seen)::float8 AS age
            FROM fleet_nodes ORDER BY address`,
          (rows) => rows.map((row) => ({ ...row, servers: namesIn(row.servers) }))
        ),
        drain: (address) => Effect.asVoid(sql`UPDATE fleet_nodes SET draining = true WHERE address = ${address}`),
        isDraining: (address) => draining.has(address)
      }
    })
  )
}

const namesIn = (text: string): ReadonlyArray<string> => {
  const names: unknown = JSON.parse(text)
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : []
}

/** Nodes start at the same time. */
const tables = (sql: SqlClient.SqlClient) =>
  sql.withTransaction(Effect.andThen(
    sql`SELECT pg_advisory_xact_lock(hashtextextended('boocode fleet_nodes', 0))`,
    sql`
      CREATE TABLE IF NOT EXISTS fleet_nodes (
        address TEXT PRIMARY KEY,
        version TEXT NOT NULL,
        since TIMESTAMPTZ NOT NULL DEFAULT now(),
        seen TIMESTAMPTZ NOT NULL DEFAULT now(),
        draining BOOLEAN NOT NULL DEFAULT false,
        servers TEXT NOT NULL DEFAULT '[]',
        chats INTEGER NOT NULL DEFAULT 0,
        shards INTEGER NOT NULL DEFAULT 0
      )`
  ))
