import { MARKER_VARIABLE } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { posix, select } from "../../src/processes/NodeProcessTree.ts"
import type { ProcessRow, ProcessTable } from "../../src/processes/ProcessTable.ts"

const SELF = 100
const target = { pid: 200, marker: "ours" }

/** A table from `pid: [ppid, pgid, marker?, started?]`; this process is in it. */
const table = (
  processes: Record<number, readonly [ppid: number, pgid: number, marker?: string | undefined, started?: number]>
): ProcessTable => ({
  rows: Object.entries({ [SELF]: [1, SELF, undefined, 10] as const, ...processes })
    .map(([pid, [ppid, pgid, , started]]): ProcessRow => ({ pid: Number(pid), ppid, pgid, started: started ?? 10 })),
  variable: (pid, name) => name === MARKER_VARIABLE ? processes[pid]?.[2] : undefined
})

const selected = (found: ProcessTable) => select(found, target, SELF).map((row) => row.pid)

describe("ProcessTree", () => {
  it("finds group, descendants and marker carriers with their children", () => {
    const found = selected(table({
      200: [SELF, 200, "ours"],
      201: [200, 200],
      202: [201, 202],
      300: [1, 300, "ours"],
      301: [300, 301],
      400: [1, 400],
      500: [SELF, 500, "theirs"]
    }))
    assert.deepStrictEqual(found, [200, 201, 202, 300, 301])
  })

  it("finds the rest of a group whose leader is gone", () => {
    assert.deepStrictEqual(selected(table({ 201: [1, 200], 202: [201, 202] })), [201, 202])
  })

  it("leaves a group alone whose id was given to somebody else", () => {
    assert.deepStrictEqual(selected(table({ 200: [1, 200], 201: [200, 200] })), [])
    assert.deepStrictEqual(selected(table({ 200: [SELF, 200, "theirs"], 201: [200, 200] })), [])
  })

  it("takes a leader that cleared its environment for ours while it is our child", () => {
    assert.deepStrictEqual(selected(table({ 200: [SELF, 200] })), [200])
  })

  it("never selects the first process or this one", () => {
    const found = table({ 1: [0, 1, "ours"], 200: [SELF, 200, "ours"] })
    assert.deepStrictEqual(select(found, { pid: 1, marker: "ours" }, SELF).map((row) => row.pid), [200])
    assert.deepStrictEqual(select(found, { pid: SELF, marker: "none" }, SELF), [])
    assert.deepStrictEqual(select(found, { pid: 0, marker: "none" }, SELF), [])
  })

  it("asks no process for its marker that is older than this one", () => {
    assert.deepStrictEqual(selected(table({ 300: [1, 300, "ours", 9] })), [])
  })

  const signals = (found: ReadonlyArray<ProcessTable>, signal: "SIGTERM" | "SIGKILL") =>
    Effect.gen(function*() {
      const sent: Array<readonly [number, string]> = []
      let pass = 0
      const next = Effect.sync(() => found[Math.min(pass++, found.length - 1)] ?? table({}))
      yield* posix(next, SELF, (pid, name) => sent.push([pid, name])).signal(target, signal)
      return { sent, pass }
    })

  it.effect("signals the group once and each escaped process alone, after one look", () =>
    Effect.gen(function*() {
      const found = table({ 200: [SELF, 200, "ours"], 201: [200, 200], 300: [1, 300, "ours"] })
      const { pass, sent } = yield* signals([found], "SIGTERM")
      assert.deepStrictEqual(sent, [[-200, "SIGTERM"], [300, "SIGTERM"]])
      assert.strictEqual(pass, 1)
    }))

  it.effect("signals no group when no member is left", () =>
    Effect.gen(function*() {
      const { sent } = yield* signals([table({ 300: [1, 300, "ours"] })], "SIGTERM")
      assert.deepStrictEqual(sent, [[300, "SIGTERM"]])
    }))

  it.effect("looks again after SIGKILL until nothing new is found", () =>
    Effect.gen(function*() {
      const first = table({ 300: [1, 300, "ours"] })
      const second = table({ 300: [1, 300, "ours"], 301: [300, 301, "ours"] })
      const { pass, sent } = yield* signals([first, second, second], "SIGKILL")
      assert.deepStrictEqual(sent, [[300, "SIGKILL"], [301, "SIGKILL"]])
      assert.strictEqual(pass, 3)
    }))

  /** Looks once at each of these tables, the first time to note; gives what is alive and what got SIGTERM in the last. */
  const afterNoting = (...found: ReadonlyArray<ProcessTable>) =>
    Effect.gen(function*() {
      const sent: Array<number> = []
      let now = table({})
      const tree = posix(Effect.sync(() => now), SELF, (pid) => sent.push(pid))
      for (const [index, one] of found.entries()) {
        now = one
        yield* index === 0 ? tree.note(target) : tree.alive(target)
      }
      yield* tree.signal(target, "SIGTERM")
      return { sent, alive: yield* tree.alive(target) }
    })

  const parentLives = table({ 200: [SELF, 200, "ours"], 300: [200, 300, undefined, 20] })

  it.effect("finds what was a descendant when it was noted, and what descends from that, when all parents are gone (R1)", () =>
    Effect.gen(function*() {
      const later = table({ 300: [1, 300, undefined, 20], 301: [300, 301, undefined, 30] })
      assert.deepStrictEqual(yield* afterNoting(parentLives, later), { sent: [300, 301], alive: 2 })
      // Each look notes what it finds.
      const last = table({ 301: [1, 301, undefined, 30] })
      assert.deepStrictEqual(yield* afterNoting(parentLives, later, last), { sent: [301], alive: 1 })
    }))

  it.effect("leaves a noted process id alone that was given to somebody else", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* afterNoting(parentLives, table({ 300: [1, 300, undefined, 21] })), {
        sent: [],
        alive: 0
      })
    }))

  it.effect("notes nothing where nobody tells when a process started", () =>
    Effect.gen(function*() {
      const unknown = table({ 200: [SELF, 200, "ours", 0], 300: [200, 300, undefined, 0] })
      const later = table({ 300: [1, 300, undefined, 0] })
      assert.deepStrictEqual(yield* afterNoting(unknown, later), { sent: [], alive: 0 })
    }))

  it.effect("takes a process that just ended for signalled", () =>
    posix(Effect.succeed(table({ 200: [SELF, 200, "ours"] })), SELF, () => {
      throw new Error("ESRCH")
    }).signal(target, "SIGTERM"))
})
