import type { HttpRequest, HttpSend } from "@boocode/mcp-client"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { PassThrough } from "node:stream"
import * as Bridge from "../../src/bridge/Bridge.ts"
import type { ServerLink, Target } from "../../src/bridge/ServerLink.ts"

type Reply =
  | {
    readonly status?: number
    readonly session?: string
    readonly body?: unknown
    readonly events?: ReadonlyArray<unknown>
  }
  | { readonly error: unknown }
  /** Never answers. */
  | null

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
}

const FIRST: Target = {
  url: new URL("http://127.0.0.1:1/mcp"),
  headers: { authorization: "Bearer p" },
  isOnDemand: true
}
const SECOND: Target = { ...FIRST, url: new URL("http://127.0.0.1:2/mcp") }

const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" })
const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })

/** A bridge between a client and servers that answer by this script. */
const bridge = Effect.fnUntraced(function*(answer: (request: HttpRequest, message: Message) => Reply) {
  const input = new PassThrough()
  const output = new PassThrough()
  const asked: Array<HttpRequest> = []
  const aborted: Array<HttpRequest> = []
  let targets = [FIRST, SECOND]
  const link: ServerLink = {
    current: Effect.sync(() => targets[0] ?? SECOND),
    running: () => targets[0] ?? null,
    lost: (target) => Effect.sync(() => targets = targets.filter((one) => one !== target))
  }
  const send: HttpSend = (request, receiver) => {
    asked.push(request)
    const reply = answer(request, JSON.parse(request.body ?? "{}"))
    queueMicrotask(() => {
      if (reply === null) return
      if ("error" in reply) return receiver.onError(reply.error)
      const { body, events, session, status = 200 } = reply
      const type = events === undefined ? "application/json" : "text/event-stream"
      const bytes = (text: string) => receiver.onData(new TextEncoder().encode(text))
      receiver.onHeaders(status, {
        "content-type": type,
        ...(session === undefined ? {} : { "mcp-session-id": session })
      })
      if (body !== undefined) bytes(JSON.stringify(body))
      for (const event of events ?? []) bytes(`data: ${JSON.stringify(event)}\n\n`)
      receiver.onEnd()
    })
    return () => void aborted.push(request)
  }
  let text = ""
  output.on("data", (chunk) => text += String(chunk))
  const running = yield* Effect.forkScoped(Bridge.run({ input, output, link, send }))
  const heard = () => text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
  const until = (isThere: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() =>
      isThere() ? Effect.void : Effect.andThen(
        Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
        Effect.andThen(TestClock.adjust("50 millis"), until(isThere))
      )
    )
  return {
    asked,
    aborted,
    heard,
    until,
    running,
    input,
    say: (message: Message) => Effect.sync(() => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)),
    answered: (count: number) => until(() => heard().length >= count)
  }
})

const INIT: Message = { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } }
const initialized = (id: unknown, list = true) => ({
  jsonrpc: "2.0",
  id,
  result: { protocolVersion: "2025-11-25", capabilities: { tools: { listChanged: list } } }
})
const result = (id: unknown, value: unknown = {}) => ({ jsonrpc: "2.0", id, result: value })

describe("a bridge", () => {
  it.effect("gives every message the session and the revision that the server named first", () =>
    Effect.gen(function*() {
      const one = yield* bridge(({ method }, { id, method: name }) => {
        if (method === "GET") return { status: 405 }
        if (name === "initialize") return { session: "s1", body: initialized(id) }
        return id === undefined ? { status: 202 } : { events: [result(id)] }
      })
      yield* one.say(INIT)
      yield* one.say({ method: "notifications/initialized" })
      yield* one.say({ id: 1, method: "tools/list" })
      yield* one.answered(2)
      assert.deepStrictEqual(one.heard().map(({ id }) => id), [0, 1])
      const [first, ...others] = one.asked.filter(({ method }) => method === "POST")
      assert.isUndefined(first?.headers["mcp-session-id"])
      assert.deepStrictEqual(others.map(({ body }) => JSON.parse(body ?? "").method), [
        "notifications/initialized",
        "tools/list"
      ])
      for (const { headers } of others) {
        assert.include(headers, {
          "mcp-session-id": "s1",
          "mcp-protocol-version": "2025-11-25",
          authorization: "Bearer p"
        })
      }
    }))

  it.effect("gives a request since 2026-07-28 the headers that it asks for, and ends its connection to cancel it", () =>
    Effect.gen(function*() {
      const one = yield* bridge(() => null)
      const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
      yield* one.say({ id: 7, method: "tools/call", params: { name: "files_read", _meta } })
      yield* one.until(() => one.asked.length === 1)
      assert.include(one.asked[0]?.headers, {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "files_read"
      })
      yield* one.say({ method: "notifications/cancelled", params: { requestId: 7 } })
      yield* one.until(() => one.aborted.length === 1)
      assert.deepStrictEqual(one.heard(), [])
      assert.strictEqual(one.asked.length, 1)
    }))

  it.effect("begins the session again at the server that takes the place of another, and says that the lists may have changed", () =>
    Effect.gen(function*() {
      const one = yield* bridge(({ headers, method, url }, { id, method: name }) => {
        if (method === "GET") return { status: 405 }
        if (name === "initialize") return { session: url.port === "1" ? "s1" : "s2", body: initialized(id) }
        if (url.port === "1" && id === 2) return { error: refused }
        return id === undefined ? { status: 202 } : { body: result(id, { at: headers["mcp-session-id"] }) }
      })
      yield* one.say(INIT)
      yield* one.say({ id: 1, method: "logging/setLevel", params: { level: "error" } })
      yield* one.answered(2)
      yield* one.say({ id: 2, method: "tools/call", params: { name: "files_read" } })
      yield* one.answered(4)
      assert.deepStrictEqual(one.heard().slice(2), [
        { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
        result(2, { at: "s2" })
      ])
      const later = one.asked.filter(({ url }) => url.port === "2").map(({ body }) => JSON.parse(body ?? "").method)
      assert.deepStrictEqual(later, ["initialize", "notifications/initialized", "logging/setLevel", "tools/call"])
    }))

  it.effect("begins the session again where the server has forgotten it", () =>
    Effect.gen(function*() {
      let sessions = 0
      const one = yield* bridge(({ headers, method }, { id, method: name }) => {
        if (method === "GET") return { status: 405 }
        if (name === "initialize") return { session: `s${sessions += 1}`, body: initialized(id, false) }
        if (headers["mcp-session-id"] === "s1" && id !== undefined) return { status: 404, body: {} }
        return id === undefined ? { status: 202 } : { body: result(id) }
      })
      yield* one.say(INIT)
      yield* one.say({ id: 1, method: "tools/call" })
      yield* one.answered(2)
      assert.deepStrictEqual(one.heard()[1], result(1))
      assert.strictEqual(sessions, 2)
    }))

  it.effect("asks again for a list whose answer was cut off, and never repeats a call", () =>
    Effect.gen(function*() {
      const one = yield* bridge(({ url }, { id }) => url.port === "1" ? { error: reset } : { body: result(id) })
      yield* one.say({ id: 1, method: "tools/call", params: { name: "mail_send" } })
      yield* one.answered(1)
      assert.include(one.heard()[0].error.message, "nobody knows what became of this request")
      assert.strictEqual(one.asked.length, 1)
      const other = yield* bridge(({ url }, { id }) => url.port === "1" ? { error: reset } : { body: result(id) })
      yield* other.say({ id: 2, method: "tools/list" })
      yield* other.answered(1)
      assert.deepStrictEqual(other.heard(), [result(2)])
    }))

  it.effect("waits for a server that starts, and passes on why a request was refused", () =>
    Effect.gen(function*() {
      let tries = 0
      const problem = { detail: "there is no profile work", hint: "use default" }
      const one = yield* bridge((_, { id }) => {
        if (id === 1) return (tries += 1) < 3 ? { status: 503, body: {} } : { body: result(1) }
        return id === 2
          ? { status: 404, body: problem }
          : { status: 400, body: { error: { code: -32022, message: "no" } } }
      })
      yield* one.say({ id: 1, method: "tools/list" })
      yield* one.answered(1)
      yield* one.say({ id: 2, method: "tools/list" })
      yield* one.say({ id: 3, method: "tools/list" })
      yield* one.answered(3)
      assert.deepStrictEqual(one.heard()[0], result(1))
      assert.strictEqual(one.heard()[1].error.message, "there is no profile work; use default")
      assert.include(one.heard()[2], { id: 3 })
      assert.strictEqual(one.heard()[2].error.code, -32022)
    }))

  it.effect("keeps a subscription over the end of its server: no end is told, and the lists are announced anew", () =>
    Effect.gen(function*() {
      const _meta = { "io.modelcontextprotocol/subscriptionId": 5 }
      const ack = {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { toolsListChanged: true }, _meta }
      }
      let opened = 0
      const one = yield* bridge((_, { id }) => {
        opened++
        return opened > 2 ? null : { events: [ack, ...(opened === 1 ? [result(id)] : [])] }
      })
      const version = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
      yield* one.say({ id: 5, method: "subscriptions/listen", params: { _meta: version } })
      yield* one.until(() => opened === 3)
      assert.deepStrictEqual(one.heard(), [
        ack,
        { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta } }
      ])
    }))

  it.effect("ends with its input after it answered what was asked, and leaves the session", () =>
    Effect.gen(function*() {
      const one = yield* bridge(({ method }, { id, method: name }) => {
        if (method !== "POST") return { status: method === "GET" ? 405 : 200 }
        return name === "initialize" ? { session: "s1", body: initialized(id) } : { body: result(id) }
      })
      yield* one.say(INIT)
      yield* one.say({ id: 1, method: "tools/list" })
      one.input.end()
      yield* one.until(() => one.running.pollUnsafe() !== undefined)
      yield* Fiber.join(one.running)
      assert.deepStrictEqual(one.heard().map(({ id }) => id), [0, 1])
      assert.deepStrictEqual(one.asked.map(({ method }) => method).filter((method) => method === "DELETE"), ["DELETE"])
    }))

  it.effect("says of a line that is no JSON that it is none, and goes on", () =>
    Effect.gen(function*() {
      const one = yield* bridge((_, { id }) => ({ body: result(id) }))
      one.input.write("this is no JSON\n")
      yield* one.say({ id: 1, method: "ping" })
      yield* one.answered(2)
      assert.strictEqual(one.heard()[0].error.code, -32700)
      assert.deepStrictEqual(one.heard()[1], result(1))
    }))
})
