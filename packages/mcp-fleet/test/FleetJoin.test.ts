import { Environment, McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import * as Statement from "effect/sql/Statement"
import * as FleetJoin from "../src/FleetJoin.ts"

/** The table of prints and its lock, as far as joining asks for them. Another connection may come between any two statements. */
const database = Effect.gen(function*() {
  const prints = new Map<string, string>()
  const lock = Semaphore.makeUnsafe(1)
  let connections = 0
  const connection = Effect.sync(() => {
    const pace = connections++
    let isLocked = false
    const run = (sql: string, params: ReadonlyArray<unknown>) =>
      Effect.gen(function*() {
        // None is as quick as another.
        for (let at = 0; at <= pace; at++) yield* Effect.yieldNow
        if (sql.includes("pg_advisory_xact_lock")) {
          yield* lock.take(1)
          isLocked = true
        }
        if (/^(COMMIT|ROLLBACK)/.test(sql) && isLocked) {
          isLocked = false
          yield* lock.release(1)
        }
        if (sql.includes("DELETE FROM fleet_prints")) prints.clear()
        const [key, print] = params.map(String)
        if (sql.includes("INSERT INTO fleet_prints") && key !== undefined && !prints.has(key)) {
          prints.set(key, print ?? "")
        }
        return sql.includes("SELECT key, print") ? [...prints].map(([key, print]) => ({ key, print })) : []
      })
    return { execute: run, executeUnprepared: run } as unknown as Connection
  })
  return yield* SqlClient.make({
    acquirer: connection,
    compiler: Statement.makeCompilerSqlite(),
    spanAttributes: [],
    driver: "model"
  })
}).pipe(Effect.provide(Reactivity.layer))

/** A node joins a fleet in which so many nodes are. */
const joining = (sql: SqlClient.SqlClient, nodes: number, token = "one", secret = "the secret of the fleet") =>
  FleetJoin.check({ secret: Redacted.make(secret), folder: "/data" }).pipe(
    Effect.provide(
      McpConfig.layerEntries({ files: { command: "files", env: { TOKEN: "${TOKEN}" } } }).pipe(
        Layer.provideMerge(Layer.mergeAll(
          Environment.layer({ TOKEN: token }),
          FileSystem.layerNoop({}),
          Path.layer,
          Digest.layerWebCrypto
        ))
      )
    ),
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.provideService(
      RunnerStorage,
      { getRunners: Effect.succeed(Array.from({ length: nodes })) } as unknown as RunnerStorage["Service"]
    )
  )

describe("Nodes that join", () => {
  it.effect("all get in when they come at the same time with the same variables and no node is there", () =>
    Effect.gen(function*() {
      const sql = yield* database
      const joined = yield* Effect.forEach(
        Array.from({ length: 5 }),
        () => Effect.exit(joining(sql, 0)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(joined.map(Exit.isSuccess), [true, true, true, true, true])
    }))

  it.effect("are refused with other variables or another secret than those of the nodes that are there", () =>
    Effect.gen(function*() {
      const sql = yield* database
      yield* joining(sql, 0)
      yield* joining(sql, 1)
      const other = yield* Effect.flip(joining(sql, 2, "two"))
      assert.include(other.message, "its variables make other servers of the same entries: files")
      const stranger = yield* Effect.flip(joining(sql, 2, "one", "another secret"))
      assert.include(stranger.message, "its BOOCODE_FLEET_SECRET is not that of the other nodes")
      // All were stopped.
      yield* joining(sql, 0, "two", "another secret")
    }))
})
