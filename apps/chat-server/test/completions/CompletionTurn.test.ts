import { Agents, ASSISTANT, Chats, type Part, ToolApprovals } from "@boocode/chat"
import { CurrentUser, FIRST } from "@boocode/chat/CurrentUser"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as CompletionTurn from "../../src/completions/CompletionTurn.ts"
import { chat, chats } from "../support/Scripted.ts"

const asked: Part = {
  type: "approval",
  seq: 1,
  turn: 1,
  id: "a1",
  call: "c",
  name: "files_write",
  server: "files",
  tool: "write",
  isTrusted: true,
  args: {},
  annotations: {}
}

const request = {
  model: "Assistant",
  said: [],
  question: { role: "user", text: "hi", attachments: [] },
  instructions: null,
  isStreamed: false,
  tellsUsage: false,
  isKept: false
} as const

describe("The turn of a request of another application", () => {
  it.effect("refuses a call that nobody has said yes to for 3 minutes", () =>
    Effect.gen(function*() {
      const answers: Array<unknown> = []
      const services = Layer.mergeAll(
        Layer.succeed(CurrentUser, FIRST),
        Agents.layer([ASSISTANT]),
        Layer.succeed(ToolApprovals, {
          ...ToolApprovals.defaultValue(),
          answer: (...given) => Effect.sync(() => void answers.push(given))
        }),
        Layer.succeed(Chats, {
          ...chats,
          send: () => Effect.succeed({ turn: 1, queued: false, after: 0 }),
          events: () => Stream.concat(Stream.make(asked), Stream.never)
        })
      )
      const { parts } = yield* Effect.provide(CompletionTurn.begin(request, null), services)
      yield* Effect.forkChild(Stream.runDrain(parts))
      yield* TestClock.adjust("179 seconds")
      assert.deepStrictEqual(answers, [])
      yield* TestClock.adjust("1 second")
      const reason = "nobody said yes within 3 minutes on the page of BooCode"
      assert.deepStrictEqual(answers, [[chat.id, "a1", { decision: "deny", reason }]])
    }))
})
