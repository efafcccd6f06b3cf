import { assert, describe, it } from "@effect/vitest"
import * as CallRun from "../../src/chat/CallRun.ts"
import { NONE } from "../../src/terminal/Output.ts"

const call = (name: string, args: Record<string, string | number>, server: string | null = "files") =>
  CallRun.begun(
    { type: "tool-call", seq: 1, turn: 1, id: "1", name, server, args },
    new Map([["files_known", "Human title"]])
  )

const done = (one: CallRun.Call, isError = false, text = "fine", isRefused = false) =>
  CallRun.ended(one, {
    type: "tool-result",
    seq: 2,
    turn: 1,
    id: "1",
    isError,
    text,
    content: [],
    truncated: null,
    origin: null,
    millis: 18.2
  }, isRefused)

const lines = (calls: ReadonlyArray<CallRun.Call>) => CallRun.lines(calls, 80, NONE)

describe("CallRun", () => {
  it("says in one line what a call is about, and how long it took", () => {
    assert.deepStrictEqual(lines([done(call("files_read_text_file", { head: 3, path: "notes/temperatures.csv" }))]), [
      "  ● Read text file  notes/temperatures.csv  18 ms"
    ])
    assert.deepStrictEqual(lines([done(call("files_known", {}))]), ["  ● Human title  18 ms"])
    assert.deepStrictEqual(lines([done(call("view_file", { count: 2 }, null))]), ["  ● View file  2  18 ms"])
  })

  it("folds many calls, and still names the failed ones", () => {
    const some = Array.from({ length: 11 }, () => done(call("files_read", { path: "a" })))
    assert.deepStrictEqual(lines(some), ["  ▸ 11 tools"])
    const failed = done(call("db_query", { sql: "select 1" }, "db"), true, "no such table: readings\nmore")
    assert.deepStrictEqual(lines([...some, failed]), [
      "  ▸ 12 tools, 1 failed",
      "    ✗ Query  select 1  no such table: readings"
    ])
  })

  it("takes a person's no for no failure", () => {
    const refused = done(call("mail_send", { to: "ann@example.org" }, "mail"), true, "the person said no", true)
    assert.deepStrictEqual(lines([refused]), ["  – Send  ann@example.org  not done"])
    assert.deepStrictEqual(lines([refused, refused, refused, refused]), ["  ▸ 4 tools"])
  })

  it("takes what a person stopped for no failure, unlike what failed before", () => {
    const cut = done(call("db_query", {}, "db"), true, "db_query has no result: it was cancelled before it finished")
    const failed = done(call("db_query", {}, "db"), true, "no such table")
    assert.strictEqual(CallRun.stopped(cut, true).outcome, "refused")
    assert.strictEqual(CallRun.stopped(cut, false).outcome, "failed")
    assert.strictEqual(CallRun.stopped(failed, true).outcome, "failed")
    assert.strictEqual(CallRun.stopped(call("db_query", {}, "db"), false).outcome, "refused")
  })

  it("puts a long reason below its call", () => {
    const [first, ...rest] = lines([done(call("db_query", { sql: "select" }, "db"), true, "why ".repeat(40))])
    assert.strictEqual(first, "  ✗ Query  select")
    assert.isAtLeast(rest.length, 2)
    assert.isTrue(rest.every((line) => line.length <= 80))
  })
})
