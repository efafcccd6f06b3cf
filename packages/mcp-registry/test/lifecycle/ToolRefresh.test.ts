import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { TestClock } from "effect/testing"
import type { Listing } from "../../../mcp-client/src/contract/Connection.ts"
import { ListFailed, type McpErrorReason } from "../../../mcp-client/src/errors/McpError.ts"
import * as ToolRefresh from "../../src/lifecycle/ToolRefresh.ts"
import type { Occasion } from "../../src/tools/Freshness.ts"

const named = (name: string): Listing => ({ tools: [{ name }], diagnostics: [], ttlMillis: null })
const refusal = new ListFailed({ method: "tools/list", detail: "no", code: -32603, limitMillis: null, stderr: "" })

/** A refresh at work: when it listed, in milliseconds, what it applied, and what it warned of. */
const refreshing = Effect.fnUntraced(function*(
  answer: (listing: number) => Effect.Effect<Option.Option<Listing>, McpErrorReason>
) {
  const changes = yield* Queue.sliding<Occasion>(1)
  const listed: Array<number> = []
  const applied: Array<Listing> = []
  const warned: Array<string> = []
  const listing = Effect.flatMap(Clock.currentTimeMillis, (now) => answer(listed.push(now)))
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") warned.push(String(message))
  })
  yield* ToolRefresh.run({
    changes,
    listing,
    apply: (found) => Effect.sync(() => void applied.push(found)),
    server: "it"
  }).pipe(Effect.provide(Logger.layer([logger])), Effect.forkScoped({ startImmediately: true }))
  const announce = Queue.offer(changes, "told")
  /** So many seconds in which the server announces a change every 50 ms. */
  const storm = (seconds: number) =>
    Effect.repeat(Effect.andThen(announce, TestClock.adjust(50)), { times: seconds * 20 - 1 })
  return { announce, applied, listed, storm, warned }
})

const same = () => Effect.succeedSome(named("a"))
const another = (listing: number) => Effect.succeedSome(named(`t${listing}`))

describe("ToolRefresh", () => {
  it.effect("lists once for a burst of a hundred changes, and twice when it lasts (R52)", () =>
    Effect.gen(function*() {
      const { announce, applied, listed } = yield* refreshing(same)
      yield* Effect.repeat(announce, { times: 99 })
      yield* TestClock.adjust(299)
      assert.deepStrictEqual(listed, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(listed, [300])
      yield* announce
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(listed, 2)
      assert.lengthOf(applied, 1)
    }))

  it.effect("asks less and less often while changes are announced that are none (R52)", () =>
    Effect.gen(function*() {
      const { applied, listed, storm } = yield* refreshing(same)
      yield* storm(60)
      assert.isAtMost(listed.length, 8)
      yield* storm(60)
      assert.isAtMost(listed.length, 11)
      assert.lengthOf(applied, 1)
    }))

  it.effect("follows a list that really changes for a while, then less and less often (R52)", () =>
    Effect.gen(function*() {
      const { applied, listed, storm } = yield* refreshing(another)
      yield* storm(4)
      assert.isAtLeast(listed.length, 9)
      yield* storm(116)
      assert.isAtMost(listed.length, 10 + 11)
      assert.lengthOf(applied, listed.length)
    }))

  it.effect("asks less and less often while listing fails, and says so once (R52)", () =>
    Effect.gen(function*() {
      const { applied, listed, storm, warned } = yield* refreshing(() => Effect.fail(refusal))
      yield* storm(120)
      assert.isAtMost(listed.length, 11)
      assert.deepStrictEqual(warned, ["it: kept the old list of tools: tools/list failed: no (-32603)"])
      assert.lengthOf(applied, 0)
    }))

  it.effect("is as quick as ever again after half a minute of quiet", () =>
    Effect.gen(function*() {
      const { announce, listed, storm } = yield* refreshing(same)
      yield* storm(60)
      yield* TestClock.adjust("2 minutes")
      const before = listed.length
      yield* announce
      yield* TestClock.adjust(300)
      assert.strictEqual(listed.length, before + 1)
    }))

  it.effect("says that a list did not come in time, and applies the next (R52)", () =>
    Effect.gen(function*() {
      const { announce, applied, warned } = yield* refreshing((listing) => listing === 1 ? Effect.succeedNone : same())
      yield* announce
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(warned, ["it: kept the old list of tools: the new one did not come in time"])
      yield* announce
      yield* TestClock.adjust("1 second")
      assert.lengthOf(applied, 1)
    }))
})
