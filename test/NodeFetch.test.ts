import { Environment } from "@boocode/mcp-config"
import { NodeFetch } from "@boocode/mcp-node"
import { type HttpSend, McpFetch } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { createServer, type RequestListener } from "node:http"
import { PassThrough, type Transform } from "node:stream"
import { createBrotliCompress, createDeflate, createGzip } from "node:zlib"
import * as Deadline from "./support/Deadline.ts"

/** An HTTP server on a free port, and how many connections it has open. */
const server = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly open: () => number; readonly stop: () => void }>((resume) => {
      let open = 0
      const http = createServer(listener)
      http.on("connection", (socket) => {
        open++
        socket.on("close", () => open--)
      })
      const stop = () => {
        http.close()
        http.closeAllConnections()
      }
      http.listen(0, "127.0.0.1", () => {
        const address = http.address()
        resume(Effect.succeed({
          port: typeof address === "object" && address !== null ? address.port : 0,
          open: () => open,
          stop
        }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )

const text = (fetch: typeof globalThis.fetch, url: string) =>
  Effect.tryPromise(async (signal) => (await fetch(url, { signal })).text())

const withVariables = (variables: Record<string, string>) =>
  NodeFetch.layer.pipe(Layer.provide(Environment.layer(variables)))

describe("NodeFetch", Deadline.TEST, () => {
  it.live("waits for headers and for the next byte beyond the limits of the agent (R27)", () =>
    Effect.gen(function*() {
      const { port } = yield* server((_, response) => {
        setTimeout(() => response.write("a"), 2500)
        setTimeout(() => response.end("b"), 5000)
      })
      const limits = { headersTimeout: 500, bodyTimeout: 500 }
      const direct = yield* NodeFetch.make({}, limits)
      const proxy = yield* server((_, response) => {
        setTimeout(() => response.end("proxied"), 2500)
      })
      const proxied = yield* NodeFetch.make({ http_proxy: `http://127.0.0.1:${proxy.port}` }, limits)
      const answers = yield* Effect.all([
        text(direct.fetch, `http://127.0.0.1:${port}/`),
        text(proxied.fetch, "http://server.invalid/")
      ], { concurrency: 2 })
      assert.deepStrictEqual(answers, ["ab", "proxied"])
    }))

  it.live("goes through the proxy of the environment, but not to hosts of NO_PROXY (R89)", () =>
    Effect.gen(function*() {
      const seen: Array<string | undefined> = []
      const { port } = yield* server((_, response) => response.end("direct"))
      const proxy = yield* server((request, response) => {
        seen.push(request.url)
        response.end("proxied")
      })
      const layer = withVariables({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "localhost,127.0.0.1" })
      yield* Effect.gen(function*() {
        const { fetch } = yield* McpFetch
        assert.strictEqual(yield* text(fetch, "http://server.invalid/mcp"), "proxied")
        assert.strictEqual(yield* text(fetch, `http://127.0.0.1:${port}/`), "direct")
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(seen, ["http://server.invalid/mcp"])
    }))

  it.live("answers with the Response that the rest of Node knows", () =>
    Effect.gen(function*() {
      const { port } = yield* server((_, response) => response.end())
      const { fetch } = yield* NodeFetch.make({})
      assert.instanceOf(yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/`)), Response)
    }))

  it.live("leaves no connection open when its scope closes, also during an answer (R87)", () =>
    Effect.gen(function*() {
      const { open, port } = yield* server((_, response) => void response.write("never ends"))
      const response = yield* Effect.scoped(Effect.gen(function*() {
        const { fetch } = yield* NodeFetch.make({})
        const answered = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/`))
        assert.strictEqual(open(), 1)
        return answered
      }))
      yield* Effect.sync(open).pipe(
        Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout(Deadline.WAIT_MILLIS)
      )
      // Held until here, because an answer that is collected as garbage closes its connection by itself.
      assert.isFalse(response.bodyUsed)
    }))
})

/** What a POST brought: everything that was told, in order. */
const posted = (send: HttpSend, url: string, until: (told: ReadonlyArray<string>) => boolean = () => false) =>
  Effect.callback<ReadonlyArray<string>>((resume) => {
    const told: Array<string> = []
    const tell = (what: string) => {
      told.push(what)
      if (/^(end|error)/.test(what)) return resume(Effect.succeed(told))
      if (!until(told)) return
      abort()
      // Time for what must not be told any more.
      setTimeout(() => resume(Effect.succeed(told)), 100)
    }
    const abort = send({ method: "POST", url: new URL(url), headers: { "content-type": "text/plain" }, body: "ping" }, {
      onHeaders: (status) => tell(String(status)),
      onData: (chunk) => tell(new TextDecoder().decode(chunk)),
      onEnd: () => tell("end"),
      onError: (error) => tell(`error ${error instanceof Error ? `${error.name} ${String(error.cause)}` : ""}`)
    })
  }).pipe(Effect.timeout(Deadline.WAIT_MILLIS))

describe("NodeFetch.send", Deadline.TEST, () => {
  const send = Effect.map(NodeFetch.make({}), (made) => made.send ?? assert.fail("there is none"))

  it.live("gives a response as it comes, packed by the server or not", () =>
    Effect.gen(function*() {
      const packs = new Map<string, () => Transform>([
        ["gzip", () => createGzip()],
        ["deflate", () => createDeflate()],
        ["br", () => createBrotliCompress()],
        ["none", () => new PassThrough()]
      ])
      const { port } = yield* server((request, response) => {
        const encoding = request.url?.slice(1) ?? ""
        const pack = packs.get(encoding)?.() ?? new PassThrough()
        response.writeHead(200, encoding === "none" ? {} : { "content-encoding": encoding })
        pack.pipe(response)
        pack.write("first")
        Reflect.get(pack, "flush")?.call(pack)
        setTimeout(() => pack.end("second"), 100)
      })
      for (const encoding of packs.keys()) {
        assert.deepStrictEqual(
          yield* posted(yield* send, `http://127.0.0.1:${port}/${encoding}`),
          ["200", "first", "second", "end"],
          encoding
        )
      }
    }))

  it.live("follows no redirect, and sends what fetch sends to the proxy of the environment (R76, R89)", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const { port } = yield* server((request, response) => {
        seen.push(`${request.method} ${request.url}`)
        response.writeHead(307, { location: "/elsewhere" }).end()
      })
      const { send } = yield* NodeFetch.make({ http_proxy: `http://127.0.0.1:${port}`, no_proxy: "127.0.0.1" })
      if (send === undefined) return assert.fail("there is none")
      for (const url of ["http://server.invalid/mcp?a=b", `http://127.0.0.1:${port}/mcp`]) {
        assert.deepStrictEqual(yield* posted(send, url), ["307", "end"])
      }
      assert.deepStrictEqual(seen, ["POST http://server.invalid/mcp?a=b", "POST /mcp"])
    }))

  it.live("tells nothing more once it is given up, and lets go of the connection (R87)", () =>
    Effect.gen(function*() {
      const { open, port } = yield* server((_, response) => {
        response.write("1")
        const more = setInterval(() => response.write("2"), 20)
        response.on("close", () => clearInterval(more))
      })
      const direct = yield* send
      assert.deepStrictEqual(
        yield* posted(direct, `http://127.0.0.1:${port}/`, (told) => told.length === 2),
        ["200", "1"]
      )
      yield* Effect.sync(open).pipe(
        Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout(Deadline.WAIT_MILLIS)
      )
    }))

  it.live("fails as fetch fails, with the cause", () =>
    Effect.gen(function*() {
      const { port, stop } = yield* server((_, response) => {
        response.writeHead(200, { "content-length": "10" }).write("1")
        setTimeout(() => response.destroy(), 50)
      })
      const direct = yield* send
      const [status, data, broken] = yield* posted(direct, `http://127.0.0.1:${port}/`)
      assert.deepStrictEqual([status, data], ["200", "1"])
      assert.match(broken ?? "", /^error TypeError .*SocketError/)
      stop()
      const [refused] = yield* posted(direct, `http://127.0.0.1:${port}/`)
      assert.match(refused ?? "", /^error TypeError .*ECONNREFUSED/)
    }))
})
