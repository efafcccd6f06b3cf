import { MARKER_VARIABLE } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { select } from "../../src/processes/NodeProcessTree.ts"
import { ofPs, type ProcessTable, together } from "../../src/processes/ProcessTable.ts"

/** As macOS lists them, written after its manual and the columns that are asked for. */
const MACOS = `
    1     0     1 Ss   Mon Nov 23 08:01:12 2026
  501   400   501 S+   Mon Nov 23 09:15:02 2026
  610   501   610 Ss   Mon Nov 23 09:15:03 2026
  611   610   610 S    Mon Nov 23 09:15:04 2026
  612   610   610 Z    Mon Nov 23 09:15:04 2026
  700     1   700 Ss   Mon Nov 23 09:15:05 2026
  701     1   701 S    Mon Nov 23 08:30:00 2026
`.split("\n")

const COMMANDS = `
    1 /sbin/launchd
  501 node /opt/boocode/main.mjs serve TERM=xterm-256color HOME=/Users/me
  610 npm exec @modelcontextprotocol/server-filesystem /Users/me/a b HOME=/Users/me ${MARKER_VARIABLE}=one-1 LANG=C
  611 node server.js ${MARKER_VARIABLE}=one-1
  612 (node)
  700 node daemon.js LANG=C ${MARKER_VARIABLE}=one-1
  701 /usr/sbin/cupsd
`.split("\n")

describe("ProcessTable", () => {
  const table = ofPs(MACOS, COMMANDS)

  it("reads what ps of macOS lists: no zombies, no empty lines, and when each started", () => {
    assert.deepStrictEqual(table.rows.map(({ pid }) => pid), [1, 501, 610, 611, 700, 701])
    assert.deepStrictEqual(table.rows[2], {
      pid: 610,
      ppid: 501,
      pgid: 610,
      started: Date.parse("2026-11-23T09:15:03")
    })
  })

  it("reads a variable behind a command line, which ps does not tell from its arguments", () => {
    assert.strictEqual(table.variable(610, MARKER_VARIABLE), "one-1")
    assert.strictEqual(table.variable(700, MARKER_VARIABLE), "one-1")
    assert.isUndefined(table.variable(501, MARKER_VARIABLE))
    assert.isUndefined(table.variable(999, MARKER_VARIABLE))
  })

  it("finds the group, the children and the fugitive of a spawn on macOS", () => {
    const found = select(table, { pid: 610, marker: "one-1" }, 501)
    assert.deepStrictEqual(found.map(({ pid }) => pid), [610, 611, 700])
  })

  it("takes a time that it cannot read for one that is not told", () => {
    assert.deepStrictEqual(ofPs(["  8  1  8 S"], []).rows, [{ pid: 8, ppid: 1, pgid: 8, started: 0 }])
  })

  it.effect("is read once for all that ask within a moment, and anew for each that asks while it is read", () =>
    Effect.gen(function*() {
      const begun: Array<ProcessTable> = []
      const slow = Effect.suspend(() => {
        const table: ProcessTable = { rows: [], variable: () => undefined }
        begun.push(table)
        return Effect.as(Effect.sleep("1 second"), table)
      })
      const shared = together(slow)
      const asked = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(shared))
      yield* TestClock.adjust("100 millis")
      const late = yield* Effect.forkChild(shared)
      yield* TestClock.adjust("2 seconds")
      const tables = yield* Effect.forEach([...asked, late], Fiber.join)
      assert.deepStrictEqual(tables.map((table) => begun.indexOf(table)), [0, 0, 0, 1])
    }))
})
