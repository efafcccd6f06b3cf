import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as JobObject from "../../src/processes/JobObject.ts"
import { standing } from "../../src/processes/NodePrograms.ts"
import * as WindowsProcessTree from "../../src/processes/WindowsProcessTree.ts"

const LIVING = 200

/** A system with one process and what it started, that writes down what is done. */
const scripted = (jobs?: string) => {
  const done: Array<string> = []
  const left = new Map([[LIVING, 3]])
  const end = (pid: number, how: string) => {
    done.push(`${how} ${pid}`)
    left.delete(pid)
  }
  const hold: JobObject.Hold = (pid) =>
    left.has(pid)
      ? { count: () => left.get(pid) ?? 0, end: () => end(pid, "end"), close: () => end(pid, "close") }
      : null
  const tree = WindowsProcessTree.make({
    jobs: jobs === undefined ? Effect.succeed(hold) : Effect.fail(jobs),
    isThere: (pid) => left.has(pid),
    endTree: (pid) => Effect.sync(() => end(pid, "taskkill"))
  })
  return { done, left, tree }
}

describe("WindowsProcessTree", () => {
  it.effect("counts and ends a spawn by its job, however it is signalled, and closes the job last", () =>
    Effect.gen(function*() {
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        const { done, tree } = scripted()
        yield* Effect.scoped(Effect.gen(function*() {
          const { alive, mark, note, signal: send, watch } = yield* tree
          const target = { pid: LIVING, marker: yield* mark }
          yield* watch(target)
          yield* note(target)
          assert.strictEqual(yield* alive(target), 3)
          yield* send(target, signal)
          assert.strictEqual(yield* alive(target), 0)
        }))
        assert.deepStrictEqual(done, [`end ${LIVING}`, `close ${LIVING}`])
      }
    }))

  it.effect("ends what nobody signalled when the scope closes", () =>
    Effect.gen(function*() {
      const { done, left, tree } = scripted()
      const { mark, watch } = yield* tree
      yield* Effect.scoped(Effect.flatMap(mark, (marker) => watch({ pid: LIVING, marker })))
      assert.deepStrictEqual([done, left.size], [[`close ${LIVING}`], 0])
    }))

  it.effect("asks about the process itself where it ended before it was in a job", () =>
    Effect.gen(function*() {
      const { done, left, tree } = scripted()
      const { alive, mark, watch } = yield* tree
      left.clear()
      const target = { pid: LIVING, marker: yield* mark }
      yield* watch(target)
      assert.strictEqual(yield* alive(target), 0)
      assert.deepStrictEqual(done, [])
    }).pipe(Effect.scoped))

  it.effect("warns once where there are no job objects, and has taskkill end the tree", () =>
    Effect.gen(function*() {
      const warnings: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => warnings.push(String(message)))])
      const { done, tree } = scripted("koffi is not there")
      yield* Effect.gen(function*() {
        const { alive, mark, signal, watch } = yield* tree
        yield* mark
        const target = { pid: LIVING, marker: yield* mark }
        yield* watch(target)
        assert.strictEqual(yield* alive(target), 1)
        yield* signal(target, "SIGTERM")
        assert.strictEqual(yield* alive(target), 0)
      }).pipe(Effect.scoped, Effect.provide(logger))
      assert.deepStrictEqual(done, [`taskkill ${LIVING}`])
      assert.lengthOf(warnings, 1)
      assert.match(warnings[0] ?? "", /^no job objects: koffi is not there\./)
    }))

  it("starts programs that show no window and do not outlive this one, where no group leads to them", () => {
    assert.deepStrictEqual(standing("win32"), { detached: false, windowsHide: true, stdio: "pipe" })
    assert.isTrue(standing("linux").detached)
    assert.isTrue(standing("darwin").detached)
  })
})
