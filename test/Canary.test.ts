/** Secrets in every place that a configuration has for them, and servers that tell them: nothing passes one on. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Gossip from "./support/Gossip.ts"
import * as Processes from "./support/Processes.ts"

/** Each tells everything in an error, a log line or a broken answer. */
const STDIO_TOOLS = ["fails", "refuses", "says", "hints", "crashes"]
const HTTP_TOOLS = ["unauthorized", "forbidden", "broken", "page", "noise", "refuses", "fails", "elsewhere", "hangs_up"]
const TOOLS = [...STDIO_TOOLS.map((tool) => `serves_${tool}`), ...HTTP_TOOLS.map((tool) => `web_web_${tool}`)]

/** Notes where a secret came out. */
const watch = () => {
  const leaks: Array<string> = []
  const see = (where: string, text: string) => {
    leaks.push(...Gossip.found(text).map((place) => `${where}: ${place}`))
  }
  return { see, leaks }
}

const HIDDEN = "<redacted>"

/** Commands wait for servers that never answer; some do so side by side. */
const BESIDE = { concurrency: 3 }

describe("Secrets of a configuration", () => {
  it.live(
    "stay out of all that commands print, log and keep, whatever servers say (R65, R75)",
    () =>
      Effect.gen(function*() {
        const { files, mark, run } = yield* Gossip.folder
        const { leaks, see } = watch()
        const printed = Effect.fnUntraced(function*(...line: ReadonlyArray<string>) {
          const { stderr, stdout } = yield* run(...line)
          see(`${line.join(" ")}, output`, stdout)
          see(`${line.join(" ")}, log`, stderr)
          return stdout + stderr
        })
        assert.include(yield* printed("mcp", "list"), HIDDEN)
        assert.include(yield* printed("mcp", "list", "--json"), HIDDEN)
        yield* printed("mcp", "tools", "--json")
        yield* printed("mcp", "doctor", "--json")
        yield* Effect.forEach(["serves", "web_web", "wrong"], (name) => printed("mcp", "get", name), BESIDE)
        yield* printed("mcp", "get", "serves", "--json")
        yield* Effect.forEach(
          ["serves_fails", "web_web_broken", "sleeps_fails"],
          (tool) => Effect.map(printed("mcp", "call", tool), (text) => assert.include(text, HIDDEN, tool)),
          BESIDE
        )
        yield* printed("mcp", "call", "serves_crashes", "--json")
        const kept = yield* files
        assert.isTrue(kept.some(([path]) => path.includes("manifests")))
        assert.isTrue(kept.some(([path]) => path.endsWith("mcp.lock.json")))
        for (const [path, text] of kept) see(path, text)
        assert.deepStrictEqual(leaks, [])
        assert.deepStrictEqual(yield* Processes.leftAfter(Gossip.MARK, mark, Deadline.GONE_MILLIS), [])
      }),
    240_000
  )

  it.live(
    "stay out of all that a running server answers, streams, logs and keeps, and its programs get no other (R65, R74, R75)",
    () =>
      Effect.gen(function*() {
        const { data, env, files, mark, names, own } = yield* Gossip.folder
        const { leaks, see } = watch()
        const server = yield* AppServer.start(data, env)
        const events = yield* Gossip.listen(`${server.url}/api/events`)
        const get = (path: string) =>
          Effect.tap(Gossip.text(`${server.url}${path}`), (text) => Effect.sync(() => see(`GET ${path}`, text)))
        const post = (path: string, body: unknown = {}) =>
          Effect.tap(Gossip.text(`${server.url}${path}`, body), (text) => Effect.sync(() => see(`POST ${path}`, text)))
        yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)

        const told: unknown = JSON.parse(yield* post("/api/tools/serves_names/call"))
        assert.deepInclude(told, { isError: false })
        assert.deepStrictEqual(Gossip.linesOf(told), own)
        for (const tool of TOOLS) {
          yield* post(`/api/tools/${tool}/call`)
          if (tool === "serves_crashes") yield* post("/api/mcp/servers/serves/restart")
        }
        yield* post("/api/tools/sleeps_fails/call")
        yield* post("/api/tools/serves_nothing/call")
        yield* post("/api/tools/serves_fails/call", { args: "{" })
        const chat: unknown = JSON.parse(yield* post("/api/chats"))
        const id = String(Object(chat)["id"])
        for (
          const tool of [
            "serves_fails",
            "serves_hints",
            "serves_refuses",
            "web_web_fails",
            "web_web_broken",
            "web_helped_fails"
          ]
        ) {
          assert.include(yield* post(`/api/chats/${id}/messages`, { text: `/${tool}` }), HIDDEN, tool)
        }
        yield* get(`/api/chats/${id}`)
        yield* post("/api/mcp/servers/web_broken/restart")
        yield* post("/api/mcp/reload")
        assert.include(yield* get("/api/mcp/servers"), HIDDEN)
        for (const name of names) {
          yield* get(`/api/mcp/servers/${name}/logs`)
          yield* get(`/api/mcp/servers/${name}/trust`)
        }
        for (
          const path of ["/", "/api/health", "/api/tools", "/api/agents", "/metrics", "/api/openapi.json"]
        ) yield* get(path)
        assert.include(yield* get("/api/mcp/servers/serves/logs"), HIDDEN)

        assert.include(events(), HIDDEN)
        see("GET /api/events", events())
        assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
        see("output", server.stdout())
        assert.include(server.stderr(), HIDDEN)
        see("log", server.stderr())
        for (const [path, text] of yield* files) see(path, text)
        assert.deepStrictEqual(leaks, [])
        assert.deepStrictEqual(yield* Processes.leftAfter(Gossip.MARK, mark, Deadline.GONE_MILLIS), [])
      }),
    180_000
  )
})
