import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { LimitReached } from "../../src/spending/Spending.ts"
import { FIRST } from "../../src/users/CurrentUser.ts"
import { brief, chatWith, message, newStore, settle, start, until } from "../support/Chatting.ts"
import { calls, finish, model, says, tool } from "../support/Scripted.ts"

/** A person who may use so many tokens. */
const most = (tokens: number) => {
  const noted: Array<readonly [string, number | null]> = []
  const used = () => noted.reduce((sum, [, tokens]) => sum + (tokens ?? 0), 0)
  const check = () =>
    Effect.suspend(() =>
      used() < tokens
        ? Effect.void
        : new LimitReached({
          of: "tokens",
          used: `${used()} tokens`,
          limit: "12 a day",
          resets: "2026-11-25T00:00:00Z"
        })
    )
  return {
    noted,
    spending: {
      check,
      note: (owner: string, { inputTokens }: { readonly inputTokens: number | null }) =>
        Effect.sync(() => void noted.push([owner, inputTokens]))
    }
  }
}

describe("A person with a limit", () => {
  it.effect("begins no turn when it is reached, and hears of what is used, of the limit and of when it begins anew", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([[...says("yes"), finish("stop", 12, 1)]])
      const { noted, spending } = most(12)
      const { chats } = yield* start({ models: { m }, environment: "m", spending })
      const { id } = yield* chatWith(chats, "hello")
      const error = yield* Effect.flip(chats.send(id, message("and now?")))
      assert.strictEqual(
        `${error._tag}: ${error.message}; ${error.hint}`.replace(/; an admin.*/, ""),
        "LimitReached: you have used 12 tokens, and may use 12 a day; it begins anew at 2026-11-25 00:00 UTC"
      )
      assert.lengthOf((yield* chats.get(id)).turns, 1)
      assert.deepStrictEqual(noted, [[FIRST.id, 12]])
      yield* chats.send(id, message("/", { model: "command" }))
      assert.strictEqual(brief(yield* until(chats, id, 2)).at(-1), "2 stop", "the command mode costs nothing")
    }))

  it.effect("has a turn ended before the step that would go on beyond it, with a part that says so", () =>
    Effect.gen(function*() {
      const { asked, model: m } = yield* model([[calls("c", "look"), finish("tool-calls", 12, 1)], [
        ...says("no"),
        finish()
      ]])
      const { spending } = most(12)
      const { chats } = yield* start({ models: { m }, environment: "m", builtIn: [tool("look")], spending })
      const { parts } = yield* chatWith(chats, "hello")
      assert.lengthOf(asked, 1)
      assert.deepStrictEqual(parts.slice(-2).map((part) => part.type === "error" ? part._tag : part.type), [
        "LimitReached",
        "finish"
      ])
    }))

  it.effect("pays for titles, which nobody makes when the limit is reached", () =>
    Effect.gen(function*() {
      const answers = [[...says("a"), finish("stop", 3, 1)], [...says("Title"), finish("stop", 9, 1)], [
        ...says("b"),
        finish()
      ]]
      const paid = yield* model(answers)
      const { noted, spending } = most(12)
      const one = yield* start({ models: { m: paid.model }, environment: "m", titles: "model", spending })
      yield* chatWith(one.chats, "hello")
      yield* settle
      assert.deepStrictEqual(noted.map(([, tokens]) => tokens), [3, 9])
      const poor = yield* model(answers)
      const other = yield* start({
        models: { m: poor.model },
        environment: "m",
        titles: "model",
        spending: most(3).spending
      })
      yield* chatWith(other.chats, "hello")
      yield* settle
      assert.lengthOf(poor.asked, 1)
    }))

  it.effect("has so many chats answered at once, those of other servers counted, and messages of the same chat wait", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([Stream.never, Stream.never, Stream.never])
      const store = yield* newStore
      const setup = { models: { m }, environment: "m", store, spending: { turnsOf: () => Effect.succeed(1) } }
      const { chats } = yield* start(setup)
      const first = yield* chats.create({ agent: null, model: null })
      const second = yield* chats.create({ agent: null, model: null })
      const sent = (id: string) => Effect.result(chats.send(id, message("hi")))
      const both = yield* Effect.all([sent(first.id), sent(second.id)], { concurrency: "unbounded" })
      assert.deepStrictEqual(both.map((one) => one._tag), ["Success", "Failure"], "also when they come together")
      assert.isTrue((yield* chats.send(first.id, message("more"))).queued)
      const elsewhere = yield* Effect.flip(
        (yield* start({ ...setup, store: { ...store, unfinished: Effect.succeed([]) } })).chats
          .send(second.id, message("hi"))
      )
      assert.strictEqual(elsewhere._tag, "TurnsAtOnce")
      yield* chats.stop(first.id)
      yield* chats.stop(first.id)
      assert.isFalse((yield* chats.send(second.id, message("hi"))).queued)
      yield* chats.stop(second.id)
    }))
})
