import { Environment } from "@boocode/mcp-config"
import { NodeFetch } from "@boocode/mcp-node"
import { McpFetch } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { createServer, type RequestListener } from "node:http"

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

describe("NodeFetch", () => {
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
    }), 20_000)

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
        Effect.timeout("3 seconds")
      )
      // Held until here, because an answer that is collected as garbage closes its connection by itself.
      assert.isFalse(response.bodyUsed)
    }))
})
