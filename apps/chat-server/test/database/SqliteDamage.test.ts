import { assert, describe, it } from "@effect/vitest"
import * as SqliteDamage from "../../src/database/SqliteDamage.ts"
import * as SqliteLog from "../support/SqliteLog.ts"

describe("A log of SQLite", () => {
  it("is damaged when a commit follows a break", () => {
    const log = SqliteLog.of([0, 2, 0, 2])
    assert.isNull(SqliteDamage.ofLog(log))
    const at = SqliteLog.at(1)
    log.fill(0xaa, at + 24, at + 40)
    assert.strictEqual(SqliteDamage.ofLog(log), `its log (-wal) is damaged at byte ${at}`)
  })

  it("is in order when a shorter commit overwrote the beginning of a transaction that was rolled back", () => {
    const rolledBack = SqliteLog.of([2, 0, 0, 0, 0])
    const log = SqliteLog.of([2, 3], 7)
    rolledBack.set(log)
    assert.isNull(SqliteDamage.ofLog(rolledBack))
  })
})
