/** The tools of Playwright, which all declare that they destroy: a chat whose write mode asks opens a page and clicks. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import { join } from "node:path"
import * as AppServer from "./support/AppServer.ts"
import { browser, forPlaywright } from "./support/Browser.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_BROWSER_TOOLS_TEST"
const PAGE =
  `<title>Local</title><h1>Before</h1><button onclick="document.querySelector('h1').textContent='After'">Go</button>`

/** The address of a page on this machine, until the scope closes. */
const page = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(PAGE))
      await once(server.listen(0, "127.0.0.1"), "listening")
      return server
    }),
    (server) => Effect.sync(() => server.close().closeAllConnections())
  ),
  (server) => {
    const address = server.address()
    return typeof address === "object" && address !== null
      ? `http://127.0.0.1:${address.port}/`
      : assert.fail("no port")
  }
)

const resultOf = (parts: ReadonlyArray<Record<string, unknown>>) =>
  String(parts.find((part) => part["type"] === "tool-result")?.["text"])

describe("The browser of Playwright", Deadline.TEST, () => {
  it.live("opens a page and clicks in it where write mode asks, each call with a yes, and does neither where it is off", () =>
    Effect.gen(function*() {
      const url = yield* page
      // Unpacks what the server starts.
      yield* Effect.scoped(browser)
      const { args, env } = yield* forPlaywright
      const mark = randomUUID()
      const entry = FixtureServer.program("Playwright", "--headless", "--isolated", "--no-sandbox", ...args)
      const folder = yield* Command.folder({
        "data/mcp.json": JSON.stringify({ mcpServers: { web: { ...entry, env: { ...env, [MARK]: mark } } } }),
        "data/workspace/a.txt": ""
      })
      const server = yield* AppServer.start(join(folder, "data"))
      yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
      const chat = `/api/chats/${String((yield* server.post("/api/chats")).body["id"])}`
      const send = (tool: string, args: object) =>
        server.stream(`${chat}/messages`, { text: `/web_browser_${tool} ${JSON.stringify(args)}` })
      const waiting = Effect.map(server.get("/api/approvals"), ({ body }) => {
        // A test reads what it asks for; a wrong shape is a failed assertion.
        return body["pending"] as ReadonlyArray<{ readonly id: string; readonly suggestions: ReadonlyArray<object> }>
      })
      const allowed = Effect.fnUntraced(function*(tool: string, args: object) {
        const turn = yield* Effect.forkChild(send(tool, args))
        const [card] = yield* ChatServer.until(waiting, (some) => some.length === 1)
        yield* server.post(`${chat}/approvals/${card?.id}`, { decision: "once" })
        return { card, text: resultOf(yield* Fiber.join(turn)) }
      })

      assert.deepStrictEqual(yield* send("navigate", { url }), [])
      yield* server.patch(chat, { write: { mode: "ask", until: null } })
      const opened = yield* allowed("navigate", { url })
      assert.deepStrictEqual(opened.card?.suggestions[0], {
        where: { url: `${url}*` },
        text: `web_browser_navigate where url is ${url}*`
      })
      const seen = resultOf(yield* send("snapshot", {}))
      assert.include(seen, `heading "Before"`)
      const target = /button "Go".*?\[ref=(\w+)\]/.exec(seen)?.[1]
      yield* allowed("click", { element: "Go", target })
      assert.include(resultOf(yield* send("snapshot", {})), `heading "After"`)
      yield* server.end("SIGTERM", "process")
      assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
    }).pipe(Effect.scoped))
})
