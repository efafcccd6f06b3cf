import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Part, TurnPart } from "../../../src/model/Part.ts"
import { promptFaults } from "../../support/HistoryRules.ts"
import { agent, calls, finish, outline, says, tool } from "../../support/Scripted.ts"
import * as Troubled from "../../support/Troubled.ts"
import { brief } from "../../support/Troubled.ts"

const call = (id: string): TurnPart => ({ type: "tool-call", id, name: "a_one", server: "a", args: { id } })
const approval = (id: string) => ({
  type: "approval" as const,
  id: `ask ${id}`,
  call: id,
  name: "a_one",
  server: "a",
  tool: "one",
  isTrusted: true,
  args: { id },
  annotations: {}
})
const answered = (id: string) => ({
  type: "approval-answer" as const,
  id: `ask ${id}`,
  decision: "once" as const,
  reason: null
})
const result = (id: string): TurnPart => ({
  type: "tool-result",
  id,
  isError: false,
  text: `ok ${id}`,
  content: [],
  truncated: null,
  origin: null,
  millis: 1
})
/** The entry about a call that the end of the program cut off. */
const cutOff = (id: string) => ({
  type: "write" as const,
  id: `write ask ${id}`,
  call: id,
  name: "a_one",
  server: "a",
  class: "writes" as const,
  args: { id },
  outcome: "unknown" as const,
  allowedBy: "person" as const,
  source: "a person's yes to this call",
  undo: null
})
const stored = (...parts: ReadonlyArray<TurnPart>): ReadonlyArray<Part> =>
  parts.map((part, index) => ({ ...part, seq: index + 1, turn: 1 }))

const done = [...says("Done."), finish()]

describe("A turn that goes on after a restart", () => {
  it.effect("runs the calls that waited for a yes under their ids, and answers the others", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      const one = tool("a_one", (args, options) =>
        Effect.sync(() => {
          ran.push([args, options?.callId])
          return ToolResult.success("now")
        }))
      const { asked, parts, turn } = yield* Troubled.start([done], [one], {
        resume: stored(
          { type: "text-delta", text: "Looking." },
          call("a"),
          result("a"),
          { type: "text-delta", text: "Twice." },
          call("b"),
          call("c"),
          call("d"),
          call("e"),
          approval("c"),
          approval("d"),
          answered("d"),
          result("e")
        )
      })
      yield* turn
      assert.deepStrictEqual(ran, [[{ id: "c" }, "c"]], "what was allowed or begun may have been done")
      assert.deepStrictEqual(brief(parts), ["error b", "error d", "result c", "says Done.", "finish stop"])
      const messages = asked[0]?.prompt.content ?? []
      assert.deepStrictEqual(promptFaults(messages), [])
      assert.deepStrictEqual(outline(messages).slice(1, 5), [
        "user \"hi\"",
        "assistant \"Looking.\", call a a_one",
        "tool result a ok a",
        "assistant \"Twice.\", call b a_one, call c a_one, call d a_one, call e a_one"
      ])
      const text = outline(messages)[5] ?? ""
      assert.match(
        text,
        /^tool error b a_one has no result: the server ended before it was finished.*, result c now, error d .*, result e ok e$/
      )
      assert.match(outline(messages)[6] ?? "", /user "\(The chat server was started again in between/)
    }))

  it.effect("writes down what a person let be written and nobody knows whether it was", () =>
    Effect.gen(function*() {
      const asks = (id: string, kind: "writes" | "reads"): TurnPart => ({ ...approval(id), class: kind })
      const noted: TurnPart = { ...cutOff("e"), outcome: "done" }
      const { parts, turn } = yield* Troubled.start([done], [tool("a_one")], {
        resume: stored(
          ...["a", "b", "c", "d", "e", "f"].map(call),
          ...[asks("a", "writes"), asks("b", "reads"), asks("c", "writes"), asks("d", "writes"), asks("e", "writes")],
          { ...answered("a"), args: { id: "changed" } },
          answered("b"),
          { type: "approval-answer", id: "ask c", decision: "deny", reason: null },
          answered("d"),
          answered("e"),
          noted,
          result("d")
        )
      })
      yield* turn
      assert.deepStrictEqual(parts.filter(({ type }) => type === "write"), [{
        ...cutOff("a"),
        args: { id: "changed" }
      }])
      const types = parts.map((part) => "id" in part ? `${part.type} ${part.id}` : part.type)
      assert.isBelow(types.indexOf("write write ask a"), types.indexOf("tool-result a"))
    }))

  it.effect("answers what cannot be run again before anybody says yes", () =>
    Effect.gen(function*() {
      const yes = yield* Deferred.make<void>()
      const one = tool("a_one", () => Effect.as(Deferred.await(yes), ToolResult.success("now")))
      const { parts, turn } = yield* Troubled.start([done], [one], {
        resume: stored(call("a"), call("b"), approval("b"))
      })
      const fiber = yield* Effect.forkChild(turn)
      for (let index = 0; index < 20; index++) yield* Effect.yieldNow
      assert.deepStrictEqual(brief(parts), ["error a"])
      yield* Deferred.succeed(yes, undefined)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(brief(parts), ["error a", "result b", "says Done.", "finish stop"])
    }))

  it.effect("cancels what servers asked in the calls that nobody answers", () =>
    Effect.gen(function*() {
      const question = (id: string): TurnPart => ({
        type: "question",
        id,
        call: "a",
        server: "a",
        isTrusted: true,
        kind: "url",
        message: "",
        schema: null,
        url: "https://example.com",
        sampling: null,
        expiresAt: ""
      })
      const given: TurnPart = { type: "question-answer", id: "p", action: "decline", content: null, reason: null }
      const { parts, turn } = yield* Troubled.start([done], [tool("a_one")], {
        resume: stored(call("a"), question("p"), given, question("q"), call("b"), approval("b"))
      })
      yield* turn
      const cancelled = parts.flatMap((part) => part.type === "question-answer" ? [[part.id, part.action]] : [])
      assert.deepStrictEqual(cancelled, [["q", "cancel"]])
      assert.strictEqual(parts[0]?.type, "question-answer", "before the result of its call")
    }))

  it.effect("counts the steps it has made, and gives new calls ids of their own (R106)", () =>
    Effect.gen(function*() {
      const more = [calls("a", "a_one"), finish("tool-calls")]
      const { asked, parts, turn } = yield* Troubled.start([more], [tool("a_one")], {
        agent: { ...agent, steps: 3 },
        resume: stored(call("a"), result("a"), call("b"), approval("b"))
      })
      yield* turn
      assert.strictEqual(asked.length, 1)
      assert.deepStrictEqual(
        brief(parts).filter((line) => !line.startsWith("warning")),
        ["result b", "call a_2", "result a_2", "finish steps"]
      )
    }))

  it.effect("does not count words that broke off, and says so", () =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* Troubled.start([done], [tool("a_one")], {
        resume: stored(call("a"), result("a"), { type: "text-delta", text: "Half a sen" })
      })
      yield* turn
      assert.deepStrictEqual(brief(parts), ["retry 1/1", "says Done.", "finish stop"])
      assert.notInclude(outline(asked[0]?.prompt.content ?? []).join(), "Half a sen")
    }))

  it.effect("can be stopped while it waits again", () =>
    Effect.gen(function*() {
      const { parts, turn } = yield* Troubled.start([done], [tool("a_one", () => Effect.never)], {
        resume: stored(call("a"), approval("a"))
      })
      const fiber = yield* Effect.forkChild(turn)
      for (let index = 0; index < 20; index++) yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(brief(parts), ["error a", "finish stopped"])
    }))
})
