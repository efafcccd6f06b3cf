/** Whether a node may join: all nodes of a fleet have the same secret, and their variables make the same servers. */
import { Hash, JsonValue } from "@boocode/mcp-client/Text"
import { type ConfiguredServer, type Environment, McpConfig } from "@boocode/mcp-config"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import type * as Digest from "effect/crypto/Digest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import * as Fingerprint from "./model/Fingerprint.ts"

/** The node may not join, and starts nothing. */
export class JoinRefused extends Data.TaggedError("JoinRefused")<{
  readonly why: string
  readonly hint: string
}> {
  override get message(): string {
    return `this node may not join the fleet: ${this.why}`
  }
}

/**
 * Compares this node with the first one of the fleet, by hashes that the fleet's secret keys. The first node is whichever
 * comes while no other is there. Entries that differ as they are written are another version, and are not compared.
 */
export const check = Effect.fnUntraced(function*(keys: Fingerprint.Keys): Effect.fn.Return<
  void,
  JoinRefused,
  SqlClient.SqlClient | RunnerStorage | McpConfig | Environment | Digest.Digest
> {
  const prints = yield* printsOf(keys)
  const first = yield* known(prints).pipe(
    // Two nodes that make the table at the same time.
    Effect.retry({ times: 5, schedule: Schedule.spaced("200 millis") }),
    Effect.mapError((cause) =>
      new JoinRefused({ why: `the database does not answer: ${String(cause)}`, hint: "see that PostgreSQL runs there" })
    )
  )
  if (first.get(SECRET) !== prints.get(SECRET)) {
    return yield* new JoinRefused({
      why: "its BOOCODE_FLEET_SECRET is not that of the other nodes",
      hint: "give all nodes the same; to change it, stop all of them first"
    })
  }
  const others = [...prints].filter(([key, print]) => first.get(key) !== print).map(([key]) => nameOf(key))
  if (others.length === 0) return
  return yield* new JoinRefused({
    why: `its variables make other servers of the same entries: ${others.join(", ")}`,
    hint: "give all nodes the same values for the variables that these entries name, or stop all nodes first"
  })
})

const SECRET = "secret"

/** The fingerprint of each program, by its name and the hash of its entry as written. */
const printsOf = Effect.fnUntraced(function*(keys: Fingerprint.Keys) {
  const { secret } = keys
  const { servers } = yield* (yield* McpConfig).current
  const prints = new Map([[SECRET, yield* Hash.hex(JsonValue.stringify(["fleet secret", Redacted.value(secret)]))]])
  for (const server of servers) {
    if (!server.enabled || Result.isFailure(server.config) || server.transport !== "stdio") continue
    const written = yield* Hash.hex(JsonValue.stringify([Redacted.value(secret), Fingerprint.plain(writtenOf(server))]))
    prints.set(`${written.slice(0, 16)} ${server.name}`, yield* Fingerprint.make(server.config.success, keys))
  }
  return prints
})

const writtenOf = ({ declared, written }: ConfiguredServer) => ({
  written,
  command: declared?.command,
  cwd: declared?.cwd,
  inheritEnv: declared?.inheritEnv
})

const nameOf = (key: string): string => key.slice(key.indexOf(" ") + 1)

/** The prints that the first node wrote under these keys; this node writes them where nobody did. */
const known = Effect.fnUntraced(function*(prints: ReadonlyMap<string, string>) {
  const sql = yield* SqlClient.SqlClient
  const { getRunners } = yield* RunnerStorage
  // Two first nodes come one after the other: each finds what it wrote.
  yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('boocode fleet_prints', 0))`
  yield* sql`CREATE TABLE IF NOT EXISTS fleet_prints (key text PRIMARY KEY, print text NOT NULL)`
  if ((yield* getRunners).length === 0) yield* sql`DELETE FROM fleet_prints`
  yield* Effect.forEach(
    prints,
    ([key, print]) => sql`INSERT INTO fleet_prints (key, print) VALUES (${key}, ${print}) ON CONFLICT DO NOTHING`
  )
  const rows = yield* sql<{ key: string; print: string }>`SELECT key, print FROM fleet_prints`
  return new Map(rows.map(({ key, print }) => [key, print]))
}, (known) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(known)))
