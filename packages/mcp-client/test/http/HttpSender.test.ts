import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { McpErrorReason } from "../../src/errors/McpError.ts"
import type { HttpReceiver, HttpRequest, HttpSend, ResponseHeaders } from "../../src/host/McpFetch.ts"
import * as HttpAuth from "../../src/http/HttpAuth.ts"
import type { HttpFailure } from "../../src/http/HttpFailure.ts"
import * as HttpSender from "../../src/http/HttpSender.ts"
import * as ServerConfigs from "../support/ServerConfigs.ts"

const URL_OF_SERVER = "https://mcp.example/mcp"

/** A server whose responses the test writes; `log` tells in order what happened to the requests, by their number. */
const scripted = Effect.fnUntraced(function*(renew?: (refusal: HttpAuth.Refusal) => Effect.Effect<boolean>) {
  const log: Array<string> = []
  const receivers: Array<HttpReceiver> = []
  const send: HttpSend = ({ method }, receiver) => {
    const number = receivers.push(receiver)
    log.push(`${method} ${number}`)
    return () => void log.push(`hung up ${number}`)
  }
  const auth: HttpAuth.HttpAuth = HttpAuth.none(ServerConfigs.config(), ServerConfigs.http(URL_OF_SERVER))
  const failing: (refusal: HttpAuth.Refusal) => Effect.Effect<boolean, McpErrorReason> = renew ?? auth.renew
  const sender = yield* HttpSender.make({ ...auth, renew: failing }, send)
  const failures: Array<HttpFailure> = []
  const begin = (method: HttpRequest["method"]) =>
    sender({
      method,
      url: new URL(URL_OF_SERVER),
      rpcMethod: "x",
      headers: (signed) => signed,
      body: null,
      onSuccess: () => HttpSender.IGNORED,
      onFailure: (failure) => {
        log.push("failed")
        failures.push(failure)
      }
    })
  const answer = (status: number, headers: ResponseHeaders = {}) => receivers.at(-1)?.onHeaders(status, headers)
  const say = (text: string) => void receivers.at(-1)?.onData(new TextEncoder().encode(text))
  return { log, failures, begin, answer, say, end: () => receivers.at(-1)?.onEnd() }
})

describe("HttpSender", () => {
  it.effect("hangs up on a 429 before it waits to send again", () =>
    Effect.gen(function*() {
      const { answer, begin, log } = yield* scripted()
      begin("POST")
      answer(429, { "retry-after": "2" })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(log, ["POST 1", "hung up 1"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(log, ["POST 1", "hung up 1", "POST 2"])
    }))

  it.effect("hangs up on a 401 before it renews the credentials, with the words of the server", () =>
    Effect.gen(function*() {
      for (const method of ["POST", "GET"] as const) {
        const told: Array<string> = []
        const { answer, begin, log, say } = yield* scripted(({ text }) =>
          Effect.sync(() => {
            told.push(text)
          }).pipe(Effect.andThen(Effect.sleep("1 minute")), Effect.as(true))
        )
        begin(method)
        answer(401)
        say("no".repeat(10_000))
        yield* TestClock.adjust("59 seconds")
        assert.deepStrictEqual(log, [`${method} 1`, "hung up 1"])
        assert.deepStrictEqual(told, ["no".repeat(4096)])
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(log, [`${method} 1`, "hung up 1", `${method} 2`])
      }
    }))

  it.effect("reads no page behind a refused GET or DELETE", () =>
    Effect.gen(function*() {
      for (const method of ["GET", "DELETE"] as const) {
        const { answer, begin, failures, log } = yield* scripted()
        begin(method)
        answer(405)
        yield* Effect.yieldNow
        assert.deepStrictEqual(log, [`${method} 1`, "hung up 1", "failed"])
        assert.deepStrictEqual(failures, [{ _tag: "Refused", status: 405, text: "", redirect: null }])
      }
    }))

  it.effect("reads the page behind a refused POST to its end, and no longer than 2 seconds", () =>
    Effect.gen(function*() {
      const whole = yield* scripted()
      whole.begin("POST")
      whole.answer(400)
      whole.say("no such ")
      whole.say("thing")
      yield* Effect.yieldNow
      assert.isEmpty(whole.failures)
      whole.end()
      yield* Effect.yieldNow
      assert.deepStrictEqual(whole.failures, [{ _tag: "Refused", status: 400, text: "no such thing", redirect: null }])
      const slow = yield* scripted()
      slow.begin("POST")
      slow.answer(400)
      slow.say("no such ")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(slow.log, ["POST 1", "hung up 1", "failed"])
    }))
})
