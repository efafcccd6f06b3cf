import { type OpenQuestion, QuestionErrors } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { json, open, post } from "../../support/Scripted.ts"

const QUESTION: OpenQuestion = {
  chat: null,
  id: "q",
  call: null,
  server: "files",
  isTrusted: false,
  kind: "form",
  message: "Which?",
  schema: { type: "object", properties: { which: { type: "string" } } },
  url: null,
  sampling: null,
  expiresAt: "2026-11-22T00:05:00.000Z"
}

describe("Questions of servers, over HTTP", () => {
  it.effect("lists what waits, in chats and outside", () =>
    Effect.gen(function*() {
      const all = [QUESTION, { ...QUESTION, chat: "c", id: "r", call: "1" }]
      const ask = yield* open({ questions: { open: Effect.succeed(all) } })
      const response = yield* ask("/api/questions")
      assert.deepStrictEqual([response.status, yield* json(response)], [200, { questions: all }])
    }))

  it.effect("takes an answer, and refuses what is none", () =>
    Effect.gen(function*() {
      const given: Array<unknown> = []
      const ask = yield* open({
        questions: { reply: (id, reply) => Effect.sync(() => void given.push([id, reply])) }
      })
      const fine = [
        { action: "accept", content: { which: "a" } },
        { action: "accept", scope: "chat" },
        { action: "decline" },
        { action: "cancel", content: null }
      ]
      for (const one of fine) assert.strictEqual((yield* ask("/api/questions/q", post(one))).status, 204)
      for (
        const wrong of [{}, { action: "expired" }, { action: "accept", content: [1] }, { action: "accept", scope: "x" }]
      ) {
        assert.strictEqual((yield* ask("/api/questions/q", post(wrong))).status, 400)
      }
      assert.deepStrictEqual(given, fine.map((one) => ["q", one]))
    }))

  it.effect("says why an answer is not taken, and of a form which fields", () =>
    Effect.gen(function*() {
      const problems = [{ field: "which", message: "it is needed" }]
      const cases = [
        [new QuestionErrors.UnknownQuestion({ id: "q" }), 404, { nearest: [] }],
        [new QuestionErrors.QuestionClosed({ id: "q", action: "expired" }), 409, { state: "expired" }],
        [new QuestionErrors.UnusableAnswer({ problems }), 400, { problems }]
      ] as const
      for (const [error, status, more] of cases) {
        const ask = yield* open({ questions: { reply: () => Effect.fail(error) } })
        const response = yield* ask("/api/questions/q", post({ action: "accept" }))
        const { _tag, detail, hint, ...rest } = Object(yield* json(response))
        assert.deepStrictEqual([response.status, _tag, detail, hint], [status, error._tag, error.message, error.hint])
        assert.deepInclude(rest, more)
      }
    }))

  it.effect("tells who listens to /api/events about questions outside chats, and when one is over", () =>
    Effect.gen(function*() {
      const changes = Stream.make(
        { type: "question" as const, ...QUESTION },
        { type: "question-answer" as const, id: "q" }
      )
      const ask = yield* open({ questions: { changes } })
      const response = yield* ask("/api/events")
      const told = yield* Stream.fromReadableStream({
        evaluate: () => response.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>(),
        onError: (cause) => cause
      }).pipe(
        Stream.decodeText,
        Stream.splitLines,
        Stream.filter((line) => line.includes("\"question")),
        Stream.map((line) => JSON.parse(line.slice("data: ".length))),
        Stream.take(2),
        Stream.runCollect
      )
      assert.deepStrictEqual(told, [{ type: "question", ...QUESTION }, { type: "question-answer", id: "q" }])
    }))
})
