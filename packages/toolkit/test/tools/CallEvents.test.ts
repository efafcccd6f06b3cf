import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { type AgentTool, type RunOptions, ToolResult } from "../../src/index.ts"
import * as CallEvents from "../../src/tools/CallEvents.ts"
import { heldTool } from "../support/HeldTool.ts"

const DONE = ToolResult.success("done")

const report = (options: RunOptions | undefined, progress: number) =>
  options?.onProgress?.({ progress, total: null, message: null }) ?? Effect.void

/** The numbers of progress, then the text of the result. */
const events = (run: AgentTool["run"]) =>
  Stream.map(
    CallEvents.stream(heldTool("files_read", run).tool, {}),
    (event) => event._tag === "Progress" ? event.progress.progress : event.result.text
  )

const counting = (times: number): AgentTool["run"] => (_, options) =>
  Effect.gen(function*() {
    for (let progress = 1; progress <= times; progress++) {
      yield* report(options, progress)
      yield* Effect.sleep("200 millis")
    }
    return DONE
  })

describe("CallEvents", () => {
  it.effect("gives progress in order, and the result as soon as it is there", () =>
    Effect.gen(function*() {
      const seen: Array<string | number> = []
      const reader = yield* Effect.forkChild(
        Stream.runForEach(events(counting(3)), (event) => Effect.sync(() => seen.push(event)))
      )
      yield* TestClock.adjust("400 millis")
      assert.deepStrictEqual(seen, [1, 2, 3])
      yield* TestClock.adjust("200 millis")
      yield* Fiber.join(reader)
      assert.deepStrictEqual(seen, [1, 2, 3, "done"])
    }))

  it.effect("keeps the newest progress for a slow reader, and the result in any case", () =>
    Effect.gen(function*() {
      const open = yield* Deferred.make<void>()
      const slow = Stream.tap(events(counting(40)), (event) => event === 1 ? Deferred.await(open) : Effect.void)
      const reader = yield* Effect.forkChild(Stream.runCollect(slow))
      yield* TestClock.adjust("10 seconds")
      yield* Deferred.succeed(open, undefined)
      assert.deepStrictEqual(yield* Fiber.join(reader), [1, ...Array.from({ length: 16 }, (_, at) => 25 + at), "done"])
    }))

  it.effect("calls once for each reading, and not before", () =>
    Effect.gen(function*() {
      let runs = 0
      const stream = events(() => Effect.sync(() => ToolResult.success(`${++runs}`)))
      assert.strictEqual(runs, 0)
      assert.deepStrictEqual(yield* Stream.runCollect(stream), ["1"])
      assert.deepStrictEqual(yield* Stream.runCollect(stream), ["2"])
    }))

  it.effect("asks for no progress where nobody looks at it, and calls in the fiber of the reader", () =>
    Effect.gen(function*() {
      const { tool } = heldTool(
        "files_read",
        (_, options) =>
          Effect.map(Effect.fiberId, (id) => ToolResult.success(`${id} ${options?.onProgress === undefined}`))
      )
      const stream = CallEvents.streamWith(tool, {}, {}, {
        progress: null,
        result: ({ text }) => Effect.succeed(text)
      })
      assert.deepStrictEqual(yield* Stream.runCollect(stream), [`${yield* Effect.fiberId} true`])
    }))

  it.effect("ends with the result, whatever is reported after it while its reader takes its time", () =>
    Effect.gen(function*() {
      let late: RunOptions | undefined
      const stream = events((_, options) => {
        late = options
        return Effect.succeed(DONE)
      })
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.tap(stream, () => report(late, 1))), ["done"])
    }))

  it.effect("makes an error result of a defect", () =>
    Effect.gen(function*() {
      const [text] = yield* Stream.runCollect(events(() => Effect.die("broken")))
      assert.match(String(text), /^files_read failed: an unexpected error here/)
    }))

  it.effect("leaves nothing running when its reader stops, is interrupted at any step, or goes on elsewhere", () =>
    Effect.gen(function*() {
      let running = 0
      const stream = events((_, options) =>
        Effect.acquireUseRelease(
          Effect.sync(() => running++),
          () => Effect.andThen(report(options, 1), Effect.never),
          () => Effect.sync(() => running--)
        )
      )
      yield* Stream.runDrain(Stream.take(stream, 1))
      assert.strictEqual(running, 0)
      for (const budget of [2, 3, 5]) {
        for (let steps = 0; steps < 15; steps++) {
          const reader = yield* Effect.forkChild(
            Effect.provideService(Stream.runDrain(stream), Scheduler.MaxOpsBeforeYield, budget)
          )
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(reader)
          assert.strictEqual(running, 0, `with ${budget}, after ${steps} steps`)
        }
      }
    }))
})
