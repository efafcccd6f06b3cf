import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const EVENTS = { "content-type": "text/event-stream" }

const ping = (id: string) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n\n`

/** One that we know, one that we do not, and one that a person or a model would answer. */
const ask = (id: string) =>
  ["ping", "no/such/method", "sampling/createMessage"]
    .map((method) => `data: ${JSON.stringify({ jsonrpc: "2.0", id: `${method} ${id}`, method, params: {} })}\n\n`)
    .join("")

/** A server whose listening stream the test writes, and which takes an answer when the test lets it. */
const asking = Effect.fnUntraced(function*() {
  const held: Array<() => void> = []
  const pulled: Array<(text: string) => void> = []
  const web = yield* ScriptedWeb.server(({ message, verb }) => {
    if (verb === "GET") {
      const pull = (stream: ReadableStreamDefaultController<Uint8Array>) =>
        new Promise<void>((resolve) => {
          pulled.push((text) => {
            stream.enqueue(new TextEncoder().encode(text))
            resolve()
          })
        })
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers: EVENTS })
    }
    if (message === null || message["method"] !== undefined) return undefined
    return new Promise((resolve) => held.push(() => resolve(new Response(null, { status: 202 }))))
  })
  return {
    fetch: web.fetch,
    answers: () => web.seen.filter(({ message }) => message !== null && message["method"] === undefined).length,
    /** Those that the server has not taken yet. */
    underWay: () => held.length,
    take: Effect.suspend(() => {
      for (const taken of held.splice(0)) taken()
      return ScriptedHost.drain
    }),
    /** Whether the stream is read, so that more can be written. */
    isRead: () => pulled.length > 0,
    write: (text: string) => {
      pulled.shift()?.(text)
      return ScriptedHost.drain
    }
  }
})

const entry = { type: "streamableHttp", protocol: "legacy" }

describe("A flood of requests over HTTP", () => {
  it.effect("is answered eight at a time and two hundred times a minute, with one warning, while calls go on", () =>
    Effect.gen(function*() {
      const server = yield* asking()
      yield* ScriptedWeb.withRegistry(server.fetch, entry, (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.drain
          yield* server.write(Array.from({ length: 10_000 }, (_, at) => ping(`p${at}`)).join(""))
          assert.strictEqual(server.underWay(), 8)
          assert.isFalse((yield* registry.call("web_find", {})).isError)
          for (let round = 0; round < 40; round++) {
            assert.isAtMost(server.underWay(), 8)
            yield* server.take
          }
          assert.strictEqual(server.answers(), 200)
          const { warnings } = yield* registry.settledServer("web")
          assert.lengthOf(warnings, 1)
          assert.include(warnings.join(), "asked more than it may: 9900 of its requests were refused")
        }))
    }))

  it.effect("is not read any further while its answers wait to be taken", () =>
    Effect.gen(function*() {
      const server = yield* asking()
      yield* ScriptedWeb.withRegistry(server.fetch, entry, () =>
        Effect.gen(function*() {
          yield* ScriptedHost.drain
          yield* server.write(Array.from({ length: 8 }, (_, at) => ping(`p${at}`)).join(""))
          assert.isTrue(server.isRead())
          yield* server.write(ping("one more"))
          assert.isFalse(server.isRead())
          yield* server.take
          assert.isTrue(server.isRead())
        }))
    }))

  it.effect("is read again after ten seconds at most, where the server takes none of its answers", () =>
    Effect.gen(function*() {
      const server = yield* asking()
      yield* ScriptedWeb.withRegistry(server.fetch, entry, () =>
        Effect.gen(function*() {
          yield* ScriptedHost.drain
          yield* server.write(Array.from({ length: 9 }, (_, at) => ping(`p${at}`)).join(""))
          assert.isFalse(server.isRead())
          yield* ScriptedHost.advance(10)
          assert.isTrue(server.isRead())
        }))
    }))

  it.effect("is read again after twenty seconds at most, however many answers wait that the server takes none of", () =>
    Effect.gen(function*() {
      const server = yield* asking()
      yield* ScriptedWeb.withRegistry(server.fetch, entry, (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.drain
          yield* server.write(Array.from({ length: 200 }, (_, at) => ask(`p${at}`)).join(""))
          assert.isFalse(server.isRead())
          yield* ScriptedHost.advance(20)
          assert.isTrue(server.isRead())
          assert.isAtMost(server.underWay(), 24)
          const { warnings } = yield* registry.settledServer("web")
          assert.lengthOf(warnings.filter((warning) => warning.includes("take the answers")), 1)
          assert.include(warnings.join(), "it did not take the answers to its requests in time: 200 were dropped")
        }))
    }))
})

/** What follows is of about a megabyte each. */
const MEGABYTE = "x".repeat(1_000_000)
const log = `data: ${
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: MEGABYTE } })
}\n\n`
const unknown = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/none", params: { MEGABYTE } })}\n\n`
const comments = `: ${"x".repeat(998)}\n`.repeat(1000)
const events = `event: other\ndata: ${MEGABYTE}\n\n`
const blank = "\n".repeat(1_000_000 / 64)

const held = "it wrote more than 8 MB a second that nobody asked for, and was held up"

describe("A flood of what nobody asked for over HTTP", () => {
  it.effect("is read no faster on the response to a call, whose answer of any size counts for nothing", () =>
    Effect.gen(function*() {
      const pulled: Array<(text: string) => void> = []
      const web = yield* ScriptedWeb.server(({ message, method }) => {
        if (method !== "tools/call") return undefined
        const pull = (stream: ReadableStreamDefaultController<Uint8Array>) =>
          new Promise<void>((resolve) => {
            pulled.push((text) => {
              stream.enqueue(new TextEncoder().encode(text.replace("ID", JSON.stringify(message?.["id"]))))
              resolve()
            })
          })
        return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers: EVENTS })
      })
      const write = (text: string) => {
        pulled.shift()?.(text)
        return ScriptedHost.drain
      }
      yield* ScriptedWeb.withRegistry(
        web.fetch,
        { ...entry, maxMessageBytes: 64_000_000 },
        (registry) =>
          Effect.gen(function*() {
            const first = yield* Effect.forkChild(registry.call("web_find", {}))
            yield* ScriptedHost.drain
            yield* write(`data: {"jsonrpc":"2.0","id":ID,"result":{"content":[],"_meta":{"x":"`)
            for (let megabytes = 0; megabytes < 40; megabytes++) yield* write(MEGABYTE)
            yield* write(`"}}}\n\n`)
            assert.isFalse((yield* Fiber.join(first)).isError)
            assert.deepStrictEqual((yield* registry.settledServer("web")).warnings, [])
            pulled.splice(0)
            const second = yield* Effect.forkChild(registry.call("web_find", {}))
            yield* ScriptedHost.drain
            let megabytes = 0
            for (; pulled.length > 0 && megabytes < 40; megabytes++) yield* write(log)
            assert.isAtLeast(megabytes, 30)
            assert.isAtMost(megabytes, 33)
            yield* ScriptedHost.advance(1)
            yield* write(`data: {"jsonrpc":"2.0","id":ID,"result":{"content":[]}}\n\n`)
            assert.isFalse((yield* Fiber.join(second)).isError)
            assert.deepStrictEqual((yield* registry.settledServer("web")).warnings, [held])
          })
      )
    }))

  for (const [name, text] of Object.entries({ log, unknown, comments, events, blank })) {
    it.effect(`is read no faster than over pipes, and is told: ${name}`, () =>
      Effect.gen(function*() {
        const server = yield* asking()
        yield* ScriptedWeb.withRegistry(server.fetch, entry, (registry) =>
          Effect.gen(function*() {
            yield* ScriptedHost.drain
            let megabytes = 0
            for (; server.isRead() && megabytes < 40; megabytes++) yield* server.write(text)
            assert.isAtLeast(megabytes, 30)
            assert.isAtMost(megabytes, 33)
            assert.isFalse((yield* registry.call("web_find", {})).isError)
            yield* ScriptedHost.advance(1)
            assert.isTrue(server.isRead())
            assert.deepStrictEqual((yield* registry.settledServer("web")).warnings, [held])
          }))
      }))
  }
})
